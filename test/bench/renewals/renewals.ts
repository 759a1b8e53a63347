import type { ChildProcess } from 'node:child_process';
import type { Bench } from '../report/bench';
import { compare, runOf, type Side } from '../figures/comparison';
import { countIn, renewalSide } from './renewal-side';
import { compareReplicas } from './replicas';
import { nowMs, RenewalSeed } from './seed';
import type { Stage } from '../stage/stage';
import { runJob } from '../stage/program';

const floorDatabase = 'bench_floor';

/** P7: due subscriptions renewed and their invoices opened, against a raw loop over the driver. */
export const renewals: Bench = {
  name: 'renewals',
  title: 'renewals of due subscriptions, each with its numbered invoice',
  run: async (stage, effort) => {
    if (effort.replicas !== undefined) return compareReplicas(stage, effort, effort.replicas);
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

async function renewedBy(child: ChildProcess, count: number): Promise<number> {
  const { seconds: taken } = await runJob<{ seconds: number }>(child, {
    database: floorDatabase,
    count,
  });
  return taken;
}
