import { monotonicMs, sleep } from '@billing/chassis/clock';
import type { SentCommand } from '../support/sent-commands';
import type { OwnTestSystem } from '../support/test-system';

/** Database commands of a system for which there is no work. */
export interface IdleCosts {
  /** Time in which they were sent. */
  readonly ms: number;
  /** Number by service, then by command and collection. */
  readonly services: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

// Longer than the pause after which a writer of usage leaves its slots and polls become rare.
const settleMs = 15_000;
const settleMsMax = 300_000;
const countedMs = 30_000;

/** Counts what the services send while nothing is due and no request arrives. */
export async function measureIdleCosts(
  { databases: { prefix } }: OwnTestSystem,
  commands: readonly SentCommand[],
): Promise<IdleCosts> {
  await untilSettled(commands);
  const fromMs = monotonicMs();
  const before = commands.length;
  await sleep(countedMs);
  const sent = commands.slice(before);
  const ms = monotonicMs() - fromMs;
  const services: Record<string, Record<string, number>> = {};
  for (const { database, name } of sent) {
    const service = database.slice(prefix.length + 1);
    const counts = (services[service] ??= {});
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { ms, services };
}

/** Waits until nothing but heartbeats was written for a while: a busy machine starts slowly. */
async function untilSettled(commands: readonly SentCommand[]): Promise<void> {
  const startedMs = monotonicMs();
  let writtenMs = startedMs;
  for (let seen = commands.length; monotonicMs() - writtenMs < settleMs;) {
    await sleep(200);
    const isWritten = commands
      .slice(seen)
      .some(({ name, written }) => written !== undefined && name !== 'update replicas');
    if (isWritten && monotonicMs() - startedMs < settleMsMax) writtenMs = monotonicMs();
    seen = commands.length;
  }
}
