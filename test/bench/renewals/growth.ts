import type { Bench } from '../report/bench';
import { compare, type Side } from '../figures/comparison';
import { RenewalSeed } from './seed';
import { renewalSide } from './renewal-side';
import type { Stage, StagedSystem } from '../stage/stage';

const few = 1_000;
const many = { quick: 20_000, usual: 100_000 };
// Work that costs 1.3 times as much runs at this share of the speed.
const slowest = 0.77;
const connections = 8;

/**
 * P11: the same work on few subscriptions and on a hundred times as many, each in its own
 * databases.
 */
export const growth: Bench = {
  name: 'growth',
  title: 'renewals and lists on 1,000 rows and on 100,000',
  run: async (stage, effort) => {
    const small = await populated(stage, 'few', few);
    const big = await populated(stage, 'many', effort.isQuick ? many.quick : many.usual);
    const common = {
      ...effort,
      sharedPids: () => stage.sharedPids(),
      log: stage.log,
      demand: { atLeast: slowest },
    };
    const rows = `${String(big.rows)} rows : ${String(small.rows)} rows`;
    try {
      const renewing = await compare({
        ...common,
        id: 'P11',
        title: `renew + invoice, ${rows}`,
        unit: 'renewals/s',
        ours: renewalSide(big.system, big.seed, `${String(big.rows)} rows`),
        floor: renewalSide(small.system, small.seed, `${String(small.rows)} rows`),
      });
      const listing = await compare({
        ...common,
        id: 'P11',
        title: `GET subscriptions, page 1 with its total, ${rows}`,
        unit: 'requests/s',
        ours: listSide(stage, big.system, `${String(big.rows)} rows`),
        floor: listSide(stage, small.system, `${String(small.rows)} rows`),
      });
      return { comparisons: [renewing, listing] };
    } finally {
      await small.seed.close();
      await big.seed.close();
    }
  },
};

async function populated(stage: Stage, name: string, rows: number) {
  const system = await stage.system({
    databasePrefix: `bench_${name}`,
    streamName: `BENCH_${name}`,
  });
  const seed = await RenewalSeed.open(system);
  stage.log(`P11: storing ${String(rows)} subscriptions`);
  await seed.idle(rows, (stored) => {
    stage.log(`P11: ${String(stored)} of ${String(rows)} stored`);
  });
  return { system, seed, rows };
}

function listSide(stage: Stage, system: StagedSystem, name: string): Side {
  const job = {
    url: system.gatewayUrl,
    connections,
    headers: { Authorization: `Bearer ${system.keys.testKey}` },
    requests: [{ method: 'GET', path: '/v1/subscriptions?page=1&perPage=20' } as const],
  };
  return {
    name,
    pids: system.pids,
    run: async (seconds) => {
      const { answered, perSecond, latencyMs, cpuShare } = await stage.generator.run({
        ...job,
        seconds,
      });
      return { operations: answered, perSecond, latencyMs, generatorCpu: cpuShare };
    },
  };
}
