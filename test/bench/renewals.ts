import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Document } from 'mongodb';
import type { Bench } from './bench';
import { compare, type Run, type Side } from './comparison';
import { RenewalSeed } from './renewal-seed';
import type { Stage, StagedSystem } from './stage';

// So many renewals for each second that a run may take.
const countPerSecond = 300;
const floorDatabase = 'bench_floor';
const pollMs = 50;
const giveUpMs = 120_000;

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

/** From the moment when they are due until the last invoice is numbered and no outbox waits. */
export function renewalSide(system: StagedSystem, seed: RenewalSeed, name = 'billing'): Side {
  return {
    name,
    pids: system.pids,
    run: (seconds) => renewedRun(seed, Math.round(seconds * countPerSecond)),
  };
}

export async function renewedRun(seed: RenewalSeed, count: number): Promise<Run> {
  const ids = await seed.overdue(count);
  const startedMs = performance.now();
  await seed.release(ids);
  await untilRenewed(seed, ids);
  return runOf(count, (performance.now() - startedMs) / 1_000);
}

async function floorSide(stage: Stage, seed: RenewalSeed): Promise<Side> {
  const child = await stage.program('floors/renewals', {
    MONGODB_URI: stage.infrastructure.mongodbUri,
  });
  const floor = await seed.floorIn(floorDatabase);
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => {
      const count = Math.round(seconds * countPerSecond);
      await floor.release(await floor.overdue(count));
      return runOf(count, await renewedBy(child, count));
    },
  };
}

async function renewedBy(child: ChildProcess, count: number): Promise<number> {
  child.send({ database: floorDatabase, count });
  const [answer] = (await once(child, 'message')) as [{ seconds: number } | { failure: string }];
  if ('failure' in answer) throw new Error(`The floor failed: ${answer.failure}`);
  return answer.seconds;
}

/** Asks what an index answers at once, so that asking is not what is measured. */
async function untilRenewed(seed: RenewalSeed, ids: readonly string[]): Promise<void> {
  const startedMs = performance.now();
  const isDue = { timeline: 'real', dueAt: { $lte: new Date(performance.timeOrigin + startedMs) } };
  const isPending = { pendingSince: { $gt: new Date(0) } };
  for (;;) {
    const waiting =
      (await seed.subscriptions.findOne(isDue)) ??
      (await seed.subscriptions.findOne(isPending)) ??
      (await seed.invoices.findOne(isPending));
    if (waiting === null) break;
    if (performance.now() - startedMs > giveUpMs) throw new Error('Renewals do not come to an end');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const opened: Document = { subscriptionId: { $in: [...ids] }, status: 'OPEN' };
  const count = await seed.invoices.countDocuments(opened);
  if (count !== ids.length) throw new Error(`${String(count)} of ${String(ids.length)} invoices`);
}

function runOf(operations: number, seconds: number): Run {
  return { operations, perSecond: operations / seconds, generatorCpu: 0 };
}
