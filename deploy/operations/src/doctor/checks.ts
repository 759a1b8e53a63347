import type { ReplicaHealth } from '@billing/chassis/replica-store';
import type { FingerprintDocument } from '@billing/chassis/secret-fingerprints';
import type { SystemState } from '@billing/chassis/system-state';
import type { ArchiverState } from '@billing/local/data-servers';

/** Facts about a running system. */
export interface SystemFacts {
  readonly now: Date;
  readonly services: readonly ServiceFacts[];
  /** Positive: this machine is ahead of the database. */
  readonly clockSkewMs: number;
  /** Longest time in which the database of a service has answered. */
  readonly databaseMs: number;
  /** Absent on servers of your own. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  readonly lastBackupAt: Date | undefined;
  /** Absent without an archive of the launcher's PostgreSQL. */
  readonly archiver?: ArchiverState | undefined;
}

/** Facts from the database of one service. */
export interface ServiceFacts {
  readonly service: string;
  readonly state: SystemState;
  /** Releases of the living replicas. */
  readonly releases: readonly string[];
  /** Since when the longest waiting outbox of a live environment has waited. */
  readonly outboxSince: Date | undefined;
  /** Since when the longest waiting live work has been due. */
  readonly dueSince: Date | undefined;
  readonly poisonMessages: number;
  /** What the living replicas show; those of 0.1.0 show nothing. */
  readonly health: readonly ReplicaHealth[];
  /** Indexes that the release wants and the database lacks, as `<collection>.<name>`. */
  readonly missingIndexes: readonly string[];
  readonly fingerprints: readonly FingerprintDocument[];
  /** Since when the series of usage that has waited longest has been due for its fold. */
  readonly foldSince: Date | undefined;
  /** Number of stored secrets by the id of the key of DATA_KEYS that sealed them. */
  readonly sealedSecrets: ReadonlyMap<string, number>;
  /** Absent in services without a secret that can be replaced by an old value in `<NAME>_OLD`. */
  readonly oldSecret: OldSecret | undefined;
}

/** The former value of a secret. */
export interface OldSecret {
  /** Variable of the secret. */
  readonly variable: string;
  /** What still needs the former value, by noun; undefined if the secret was never replaced. */
  readonly needs: ReadonlyMap<string, number> | undefined;
}

/** One line of the command. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

const clockSkewMsMax = 2_000;
// Age of a ping at which a replica is no longer ready.
const databaseMsMax = 2_000;
// A replica whose start is refused tries again within minutes.
const refusedMsMax = 15 * 60_000;
// As in the alert BillingUsageFoldsLate.
const foldMsMax = 2 * 60 * 60_000;
const certificateMsMin = 14 * 24 * 60 * 60_000;
// As in the alerts BillingOutboxStuck, BillingDueWorkLate and BillingDiskLow.
const waitMsMax = 15 * 60_000;
const freeShareMin = 0.15;
// A daily backup may start and end two hours later than the one before.
const backupAgeMsMax = 26 * 60 * 60_000;

/** Checks what must hold in a running system. */
export function checksOf(facts: SystemFacts): Check[] {
  const { services, now, clockSkewMs, databaseMs, disk, lastBackupAt, archiver } = facts;
  return [
    replicaCheck(services),
    stateCheck(services),
    {
      name: 'clock',
      ok: Math.abs(clockSkewMs) <= clockSkewMsMax,
      text: clockText(clockSkewMs),
    },
    {
      name: 'database',
      ok: databaseMs <= databaseMsMax,
      text: `answers within ${seconds(databaseMs)}`,
    },
    ...(disk === undefined ? [] : [diskCheck(disk)]),
    streamCheck(services),
    indexCheck(services),
    fingerprintCheck(services, now),
    waitCheck('outbox', services, now, ({ outboxSince }) => outboxSince),
    waitCheck('due work', services, now, ({ dueSince }) => dueSince),
    waitCheck('folding', services, now, ({ foldSince }) => foldSince, foldMsMax),
    poisonCheck(services),
    certificateCheck(services, now),
    backupCheck(lastBackupAt, now),
    ...(archiver === undefined ? [] : [archiveCheck(archiver)]),
    dataKeyCheck(services),
    ...services.flatMap(oldSecretCheck),
  ];
}

function clockText(skewMs: number): string {
  const side = skewMs < 0 ? 'behind' : 'ahead of';
  return `${seconds(Math.abs(skewMs))} ${side} the database`;
}

function replicaCheck(services: readonly ServiceFacts[]): Check {
  const missing = services.filter(({ releases }) => releases.length === 0);
  const releases = [...new Set(services.flatMap((one) => one.releases))].toSorted();
  const count = services.reduce((sum, one) => sum + one.releases.length, 0);
  const living = `${String(count)} of ${releases.length === 0 ? 'no release' : releases.join(', ')}`;
  const text = missing.length === 0 ? living : `none of ${namesOf(missing)}`;
  return { name: 'replicas', ok: missing.length === 0 && releases.length === 1, text };
}

function stateCheck(services: readonly ServiceFacts[]): Check {
  const closed = services.filter(({ state }) => state !== 'OPEN');
  const text = closed.map(({ service, state }) => `${service} ${state}`).join(', ');
  return { name: 'state', ok: closed.length === 0, text: text === '' ? 'OPEN' : text };
}

function diskCheck({ freeBytes, totalBytes }: NonNullable<SystemFacts['disk']>): Check {
  const share = freeBytes / totalBytes;
  const percent = Math.floor(share * 100);
  return { name: 'disk', ok: share >= freeShareMin, text: `${String(percent)} % free` };
}

function streamCheck(services: readonly ServiceFacts[]): Check {
  const seenAs = (stream: ReplicaHealth['stream']) =>
    services.filter(({ health }) => health.some((one) => one.stream === stream));
  const [down, short] = [seenAs('down'), seenAs('short')];
  const ok = down.length === 0 && short.length === 0;
  if (seenAs('up').length === 0 && ok) return { name: 'stream', ok, text: 'not known' };
  const lacking = down.length > 0 ? `not there for ${namesOf(down)}` : 'lacks replicas';
  return { name: 'stream', ok, text: ok ? 'there' : lacking };
}

function indexCheck(services: readonly ServiceFacts[]): Check {
  const missing = services.flatMap(({ service, missingIndexes }) =>
    missingIndexes.map((name) => `${service}.${name}`),
  );
  const ok = missing.length === 0;
  const text = ok ? 'none is missing' : `missing: ${missing.join(', ')}: run npm run indexes`;
  return { name: 'indexes', ok, text };
}

function fingerprintCheck(services: readonly ServiceFacts[], now: Date): Check {
  const refused = services.flatMap(({ service, fingerprints }) =>
    fingerprints
      .filter(({ refusedAt }) => now.getTime() - (refusedAt?.getTime() ?? 0) <= refusedMsMax)
      .map(({ _id: variable }) => `${service} was started with another ${variable}`),
  );
  const ok = refused.length === 0;
  return { name: 'fingerprints', ok, text: ok ? 'no other secret was used' : refused.join(', ') };
}

function certificateCheck(services: readonly ServiceFacts[], now: Date): Check {
  const name = 'certificates';
  const ends = services.flatMap(({ service, health }) =>
    health.flatMap(({ certificateUntil: at }) => (at === undefined ? [] : [{ service, at }])),
  );
  const [first] = ends.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (first === undefined) return { name, ok: true, text: 'none are used' };
  const ok = first.at.getTime() - now.getTime() >= certificateMsMin;
  return { name, ok, text: `first expires at ${first.at.toISOString()} (${first.service})` };
}

function waitCheck(
  name: string,
  services: readonly ServiceFacts[],
  now: Date,
  sinceOf: (facts: ServiceFacts) => Date | undefined,
  msMax = waitMsMax,
): Check {
  const waits = services.map((one) => ({
    service: one.service,
    ms: Math.max(now.getTime() - (sinceOf(one) ?? now).getTime(), 0),
  }));
  const longest = waits.reduce((most, one) => (one.ms > most.ms ? one : most));
  const text = `oldest waits for ${seconds(longest.ms)} (${longest.service})`;
  return { name, ok: longest.ms <= msMax, text: longest.ms === 0 ? 'nothing waits' : text };
}

function poisonCheck(services: readonly ServiceFacts[]): Check {
  const count = services.reduce((sum, { poisonMessages }) => sum + poisonMessages, 0);
  return { name: 'poison messages', ok: count === 0, text: String(count) };
}

function backupCheck(lastBackupAt: Date | undefined, now: Date): Check {
  const name = 'last backup';
  if (lastBackupAt === undefined) return { name, ok: false, text: 'none was made' };
  const ageMs = now.getTime() - lastBackupAt.getTime();
  return { name, ok: ageMs <= backupAgeMsMax, text: lastBackupAt.toISOString() };
}

function archiveCheck({ waiting, failed }: ArchiverState): Check {
  const files = `${String(waiting)} ${waiting === 1 ? 'file waits' : 'files wait'}`;
  const text = failed === undefined ? files : `${failed} cannot be archived; ${files}`;
  return { name: 'archive', ok: failed === undefined, text };
}

/** No finding: a key that is not listed may be removed from DATA_KEYS. */
function dataKeyCheck(services: readonly ServiceFacts[]): Check {
  const counts = new Map<string, number>();
  for (const [id, count] of services.flatMap(({ sealedSecrets }) => [...sealedSecrets])) {
    counts.set(id, (counts.get(id) ?? 0) + count);
  }
  const uses = [...counts].toSorted().map(([id, count]) => `${id} by ${String(count)}`);
  const text = uses.length === 0 ? 'none needed' : `needed: ${uses.join(', ')}`;
  return { name: 'data keys', ok: true, text };
}

/** No finding: `<NAME>_OLD` may be removed once nothing needs it. */
function oldSecretCheck({ service, oldSecret }: ServiceFacts): Check[] {
  if (oldSecret?.needs === undefined) return [];
  const { variable, needs } = oldSecret;
  const counts = [...needs].map(
    ([noun, count]) => `${String(count)} ${noun}${count === 1 ? '' : 's'}`,
  );
  const text =
    counts.length === 0
      ? `needed by nothing: remove ${variable}_OLD of ${service}`
      : `${variable}_OLD of ${service} needed by ${counts.join(', ')}`;
  return [{ name: 'old secret', ok: true, text }];
}

function namesOf(services: readonly ServiceFacts[]): string {
  return services.map(({ service }) => service).join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
