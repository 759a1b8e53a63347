import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { runOf, type Run, type Side } from '../figures/comparison';
import { nowMs, type RenewalSeed } from './seed';
import type { StagedSystem } from '../stage/stage';

// Renewals per second of a run's maximum duration.
const countPerSecond = 300;
const renewalPollMs = 5;
const pollMs = 50;
const pollBatchSize = 100;
const timeoutMs = 120_000;
// Time to store the subscriptions before they become due: a base, and an amount per subscription.
const leadMsMin = 1_000;
const leadMsEach = 2;
// With several replicas, each of them almost certainly owns one.
const firstCount = 16;
const farAway = new Date('2200-01-01T00:00:00Z');

/** Subscriptions that are due, all from one moment on. */
interface Due {
  readonly ids: readonly string[];
  /** The subscriptions that are renewed first. */
  readonly firsts: readonly string[];
  readonly at: Date;
}

/** From the first renewal until the last invoice has its number and no outbox entry is left. */
export function renewalSide(
  { pids }: Pick<StagedSystem, 'pids'>,
  seed: RenewalSeed,
  name = 'billing',
): Side {
  let due: Due | undefined;
  return {
    name,
    pids,
    prepare: async (seconds) => {
      due = await createDue(seed, countIn(seconds));
    },
    run: () => {
      if (due === undefined) throw new Error('No subscription was prepared');
      return renewedRun(seed, due);
    },
  };
}

/** Creates subscriptions, and returns at the moment when they become due. */
export async function createDue(seed: RenewalSeed, count: number): Promise<Due> {
  for (let leadMs = leadMsMin + leadMsEach * count; ; leadMs *= 2) {
    const at = new Date(nowMs() + leadMs);
    const others = await seed.overdue(count - firstCount, at);
    const firsts = await seed.overdue(firstCount, new Date(at.getTime() - 1));
    const ids = [...others, ...firsts];
    const leftMs = at.getTime() - nowMs();
    if (leftMs < 0) {
      // Some were found due before all were stored.
      await untilRenewed(seed, ids);
      continue;
    }
    await sleep(leftMs);
    return { ids, firsts, at };
  }
}

export async function renewedRun(seed: RenewalSeed, { ids, firsts, at }: Due): Promise<Run> {
  const begunMs = await renewedSince(seed, firsts, at);
  const endedMs = await untilRenewed(seed, ids);
  const run = runOf(ids.length, (endedMs - begunMs) / 1_000);
  return { ...run, latencyMs: { noticed: Math.round(begunMs - at.getTime()) } };
}

export function countIn(seconds: number): number {
  return Math.round(seconds * countPerSecond);
}

/**
 * The time of the first renewal: before, the scanner waited for its next poll, and no work was
 * done.
 */
async function renewedSince(
  seed: RenewalSeed,
  firsts: readonly string[],
  at: Date,
): Promise<number> {
  const isRenewed = { _id: { $in: [...firsts] }, dueAt: { $gt: at } };
  for (;;) {
    const renewed = await seed.subscriptions.findOne(isRenewed);
    if (renewed !== null) return (renewed.updatedAt as Date).getTime();
    if (nowMs() - at.getTime() > timeoutMs) throw new Error('No subscription was renewed in time');
    await sleep(renewalPollMs);
  }
}

/**
 * The time at which all were renewed and no work was pending. Polls a few ids, and others once
 * these are renewed, so that polling does not distort the measurement.
 */
async function untilRenewed(seed: RenewalSeed, ids: readonly string[]): Promise<number> {
  const startedMs = nowMs();
  const now = new Date(startedMs);
  const isPending = { pendingSince: { $gt: new Date(0), $lte: farAway } };
  let left = [...ids];
  while (left.length > 0 || (await seed.invoices.findOne(isPending)) !== null) {
    const asked = left.slice(0, pollBatchSize);
    const renewed = await seed.subscriptions
      .find({ _id: { $in: asked }, dueAt: { $gt: now }, pendingSince: null })
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    const done = new Set(renewed.map(({ _id }) => _id));
    left = left.filter((id) => !done.has(id));
    if (nowMs() - startedMs > timeoutMs) throw new Error('Renewals did not finish in time');
    if (done.size < asked.length || asked.length === 0) await sleep(pollMs);
  }
  const endedMs = nowMs();
  const opened: Document = { subscriptionId: { $in: [...ids] }, status: 'OPEN' };
  const count = await seed.invoices.countDocuments(opened);
  if (count !== ids.length) throw new Error(`${String(count)} of ${String(ids.length)} invoices`);
  return endedMs;
}
