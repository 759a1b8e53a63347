import type { Restore } from '@billing/chassis/recovery';
import type { Finding } from './check';
import type { UnmatchedCharge } from './read-checked-facts';
import type { StepReport } from './request-steps';

/** Outcome of `reconcile`. Times are ISO 8601. */
export interface Report {
  readonly restoreId: string;
  readonly code: string;
  readonly instant: string;
  readonly steps: readonly StepReport[];
  /** Time whose usage events are missing: sellers send them again. Null before the opening. */
  readonly usageToResend: { readonly from: string; readonly until: string | null };
  readonly unmatchedCharges: readonly UnmatchedCharge[];
  readonly findings: readonly Finding[];
  readonly opened: boolean;
}

/** Findings of a run of `reconcile`, and the time at which it opened the system. */
export interface Outcome {
  readonly restore: Restore;
  readonly steps: readonly StepReport[];
  readonly unmatchedCharges: readonly UnmatchedCharge[];
  readonly findings: readonly Finding[];
  readonly openedAt: Date | undefined;
}

export function toReport(outcome: Outcome): Report {
  const { restore, steps, unmatchedCharges, findings, openedAt } = outcome;
  const instant = restore.instant.toISOString();
  return {
    restoreId: restore.id,
    code: restore.code,
    instant,
    steps: inOrder(steps, findings.length, unmatchedCharges.length),
    usageToResend: { from: instant, until: openedAt?.toISOString() ?? null },
    unmatchedCharges,
    findings,
    opened: openedAt !== undefined,
  };
}

/** Numbers and announcements follow the restore without work of their own. */
function inOrder(
  steps: readonly StepReport[],
  findings: number,
  unmatchedCharges: number,
): StepReport[] {
  const done = steps.flatMap((report) => {
    const follows = report.step === 'reassert' ? ['number', 'announce'] : [];
    return [report, ...follows.map((step) => ({ step, counts: {} }))];
  });
  return [...done, { step: 'check', counts: { findings, unmatchedCharges } }];
}

/** True if the system may be opened without a person's decision. */
export function isClean({ findings, unmatchedCharges }: Report): boolean {
  return findings.length === 0 && unmatchedCharges.length === 0;
}

const keptMax = 200;

/** As the dashboard shows it: the counts of the step `check` are those of all problems. */
export function shortened(report: Report): Report {
  const { findings, unmatchedCharges } = report;
  return {
    ...report,
    findings: findings.slice(0, keptMax),
    unmatchedCharges: unmatchedCharges.slice(0, keptMax),
  };
}

const shownMax = 20;

export function toText(report: Report): string {
  const { code, instant, steps, usageToResend, unmatchedCharges, findings, opened } = report;
  const until = usageToResend.until ?? 'the opening';
  return [
    `Restore ${code} of ${instant}`,
    ...steps.map(({ step, counts }) => `  ${step.padEnd(10)}${toLine(counts)}`),
    `Usage events from ${usageToResend.from} to ${until} are missing: send them again`,
    ...shown(
      unmatchedCharges.map(({ provider, providerPaymentId, amount, currency, finding }) => {
        const why = finding ?? 'has no invoice';
        return `! ${provider} ${providerPaymentId} (${String(amount)} ${currency}): ${why}`;
      }),
    ),
    ...shown(findings.map(({ invariant, text }) => `! ${invariant} ${text}`)),
    opened
      ? 'The system is open'
      : 'The system stays closed: repeat this command, or open it with --open <reason>',
  ].join('\n');
}

function shown(lines: readonly string[]): string[] {
  const more = lines.length - shownMax;
  return [...lines.slice(0, shownMax), ...(more > 0 ? [`! and ${String(more)} more`] : [])];
}

function toLine(counts: StepReport['counts']): string {
  return Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}
