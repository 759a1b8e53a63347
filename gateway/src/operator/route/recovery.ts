import type { CallContext } from '@billing/chassis/call-context';
import type { GetRecoveryResponse } from '@billing/proto/billing/identity/v1/identity';
import { toJsonTime } from '@billing/proto/json/scalars';
import type { Call } from '../../http/exchange';
import type { OperatorDependencies } from './route';

/** Time after a restore in which the dashboard shows it. */
const shownMs = 30 * 24 * 60 * 60_000;

/** A restore of the installation that operators must know of. */
export interface RecoveryJson {
  /** RECOVERING until the system is opened. */
  readonly state: 'RECOVERING' | 'OPEN';
  /** Null until all databases are restored. */
  readonly restore: RestoreJson | null;
  /** Step of the check that runs now; null: none runs. */
  readonly step: string | null;
}

interface RestoreJson {
  readonly id: string;
  readonly code: string;
  readonly at: string;
  readonly instant: string;
  readonly usageToResend: { readonly from: string; readonly until: string | null };
}

/** Report of `reconcile`. Lists are null for operators who may not see them. */
export interface RecoveryReportJson {
  readonly steps: readonly {
    readonly step: string;
    readonly counts: Readonly<Record<string, number>>;
  }[];
  readonly findings: readonly { readonly invariant: string; readonly text: string }[] | null;
  readonly unmatchedCharges: readonly UnmatchedChargeJson[] | null;
}

interface UnmatchedChargeJson {
  readonly provider: string;
  readonly providerPaymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly createdAt: string;
  /** Why it could not be recorded on its invoice; absent: it has none. */
  readonly finding?: string;
}

/**
 * Reads the restore that operators must know of. Null also where identity does not tell: earlier
 * releases do not know the call.
 */
export async function readRecovery(
  call: Call,
  { peers, logger }: Pick<OperatorDependencies, 'logger' | 'peers'>,
): Promise<RecoveryJson | null> {
  return toJsonRecovery(await askRecovery(call, { peers, logger, withReport: false }), call.now);
}

/** Reads the restore with the report of its check. */
export async function readRecoveryReport(
  call: Call,
  { peers, logger }: Pick<OperatorDependencies, 'logger' | 'peers'>,
  { seesProblems }: { readonly seesProblems: boolean },
): Promise<{ readonly recovery: RecoveryJson | null; readonly report: RecoveryReportJson | null }> {
  const found = await askRecovery(call, { peers, logger, withReport: true });
  const recovery = toJsonRecovery(found, call.now);
  if (recovery === null || found?.reportJson === undefined) return { recovery, report: null };
  const { steps, findings, unmatchedCharges } = JSON.parse(found.reportJson) as RecoveryReportJson;
  const problems = seesProblems
    ? { findings, unmatchedCharges }
    : { findings: null, unmatchedCharges: null };
  return { recovery, report: { steps, ...problems } };
}

async function askRecovery(
  call: Call,
  {
    peers,
    logger,
    withReport,
  }: Pick<OperatorDependencies, 'logger' | 'peers'> & { readonly withReport: boolean },
): Promise<GetRecoveryResponse | undefined> {
  try {
    return await peers.identity.getRecovery({ withReport }, call as CallContext);
  } catch (error) {
    logger.warn({ err: error }, 'restores not read');
    return undefined;
  }
}

function toJsonRecovery(found: GetRecoveryResponse | undefined, now: Date): RecoveryJson | null {
  if (found === undefined) return null;
  const { recovering, restore, step = null } = found;
  if (recovering) return { state: 'RECOVERING', restore: toJsonRestore(restore), step };
  const openedAt = restore?.openedAt;
  if (openedAt === undefined || now.getTime() - openedAt.getTime() >= shownMs) return null;
  return { state: 'OPEN', restore: toJsonRestore(restore), step: null };
}

function toJsonRestore(restore: GetRecoveryResponse['restore']): RestoreJson | null {
  if (restore === undefined) return null;
  const { id, code, at, instant, openedAt } = restore;
  const from = toJsonTime(instant);
  const until = openedAt === undefined ? null : toJsonTime(openedAt);
  return { id, code, at: toJsonTime(at), instant: from, usageToResend: { from, until } };
}
