import type { SystemState } from '@billing/chassis/system-state';

/** Facts about a running system. */
export interface SystemFacts {
  readonly now: Date;
  readonly services: readonly ServiceFacts[];
  /** Positive: this machine is ahead of the database. */
  readonly clockSkewMs: number;
  /** Absent on servers of your own. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  readonly lastBackupAt: Date | undefined;
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
// As in the alerts BillingOutboxStuck, BillingDueWorkLate and BillingDiskLow.
const waitMsMax = 15 * 60_000;
const freeShareMin = 0.15;
// A daily backup may start and end two hours later than the one before.
const backupAgeMsMax = 26 * 60 * 60_000;

/** Checks what must hold in a running system. */
export function checksOf(facts: SystemFacts): Check[] {
  const { services, now, clockSkewMs, disk, lastBackupAt } = facts;
  return [
    replicaCheck(services),
    stateCheck(services),
    {
      name: 'clock',
      ok: Math.abs(clockSkewMs) <= clockSkewMsMax,
      text: clockText(clockSkewMs),
    },
    ...(disk === undefined ? [] : [diskCheck(disk)]),
    waitCheck('outbox', services, ({ outboxSince }) => outboxSince, now),
    waitCheck('due work', services, ({ dueSince }) => dueSince, now),
    poisonCheck(services),
    backupCheck(lastBackupAt, now),
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

function waitCheck(
  name: string,
  services: readonly ServiceFacts[],
  sinceOf: (facts: ServiceFacts) => Date | undefined,
  now: Date,
): Check {
  const waits = services.map((one) => ({
    service: one.service,
    ms: Math.max(now.getTime() - (sinceOf(one) ?? now).getTime(), 0),
  }));
  const longest = waits.reduce((most, one) => (one.ms > most.ms ? one : most));
  const text = `oldest waits for ${seconds(longest.ms)} (${longest.service})`;
  return { name, ok: longest.ms <= waitMsMax, text: longest.ms === 0 ? 'nothing waits' : text };
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
