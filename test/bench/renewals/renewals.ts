import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import type { Bench } from '../bench';
import { compare, type Run, type Side } from '../figures/comparison';
import { nowMs, RenewalSeed } from './seed';
import type { Stage, StagedSystem } from '../stage/stage';

// Renewals per second of a run's maximum duration.
const countPerSecond = 300;
const floorDatabase = 'bench_floor';
const renewalPollMs = 5;
const pollMs = 50;
const pollBatchSize = 100;
const timeoutMs = 120_000;
// Time to store the subscriptions before they become due: a base, and an amount per subscription.
const leadMsMin = 1_000;
const leadMsEach = 2;
const farAway = new Date('2200-01-01T00:00:00Z');

/** P7: due subscriptions renewed and their invoices opened, against a raw loop over the driver. */
export const renewals: Bench = {
  name: 'renewals',
  title: 'renewals of due subscriptions, each with its numbered invoice',
  run: async (stage, effort) => {
    const system = await stage.system();
    const seed = await RenewalSeed.open(system);
    try {
      const comparison = await compare({
        ...effort,
        id: 'P7',
        title: 'renew + invoice : compare-and-set + insert + compare-and-set, 16 in flight',
        unit: 'renewals/s',
        ours: renewalSide(system, seed),
        floor: await floorSide(stage, seed),
        demand: { atLeast: 0.8 },
        sharedPids: () => stage.sharedPids(),
        log: stage.log,
      });
      return { comparisons: [comparison] };
    } finally {
      await seed.close();
    }
  },
};

/** Subscriptions that are due, all from one moment on. */
interface Due {
  readonly ids: readonly string[];
  /** The subscription that is renewed first. */
  readonly first: string;
  readonly at: Date;
}

/** From the first renewal until the last invoice has its number and no outbox entry is left. */
export function renewalSide(system: StagedSystem, seed: RenewalSeed, name = 'billing'): Side {
  let due: Due | undefined;
  return {
    name,
    pids: system.pids,
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
    const ids = await seed.overdue(count - 1, at);
    const [first = ''] = await seed.overdue(1, new Date(at.getTime() - 1));
    const leftMs = at.getTime() - nowMs();
    if (leftMs < 0) {
      // Some were found due before all were stored.
      await untilRenewed(seed, [...ids, first]);
      continue;
    }
    await sleep(leftMs);
    return { ids: [...ids, first], first, at };
  }
}

export async function renewedRun(seed: RenewalSeed, { ids, first, at }: Due): Promise<Run> {
  const begunMs = await renewedSince(seed, first, at);
  const endedMs = await untilRenewed(seed, ids);
  const run = runOf(ids.length, (endedMs - begunMs) / 1_000);
  return { ...run, latencyMs: { noticed: Math.round(begunMs - at.getTime()) } };
}

async function floorSide(stage: Stage, seed: RenewalSeed): Promise<Side> {
  const child = await stage.program('floors/renewals', {
    MONGODB_URI: stage.infrastructure.mongodbUri,
  });
  const floor = await seed.floorIn(floorDatabase);
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    prepare: async (seconds) => {
      await floor.overdue(countIn(seconds), new Date(nowMs() - 1_000));
    },
    run: async (seconds) => runOf(countIn(seconds), await renewedBy(child, countIn(seconds))),
  };
}

function countIn(seconds: number): number {
  return Math.round(seconds * countPerSecond);
}

async function renewedBy(child: ChildProcess, count: number): Promise<number> {
  child.send({ database: floorDatabase, count });
  const [answer] = (await once(child, 'message')) as [{ seconds: number } | { failure: string }];
  if ('failure' in answer) throw new Error(`The floor failed: ${answer.failure}`);
  return answer.seconds;
}

/**
 * The time of the first renewal: before, the scanner waited for its next poll, and no work was
 * done.
 */
async function renewedSince(seed: RenewalSeed, first: string, at: Date): Promise<number> {
  for (;;) {
    const renewed = await seed.subscriptions.findOne({ _id: first, dueAt: { $gt: at } });
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

function runOf(operations: number, seconds: number): Run {
  return { operations, perSecond: operations / seconds, generatorCpu: 0 };
}
