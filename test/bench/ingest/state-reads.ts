import type { Bench, Effort } from '../report/bench';
import { compare, type Comparison, type Side } from '../figures/comparison';
import type { Demand } from '../figures/statistics';
import type { Stage, StagedSystem } from '../stage/stage';
import { type SeededUsage, UsageSeed, type UsageSpread } from './usage-seed';

const few = 1_000;
const more = { quick: [10_000, 100_000], usual: [10_000, 100_000, 1_000_000] };
const connections = 8;
// Work that costs 1.5 times as much runs at this share of the speed.
const slowest = 0.66;
// Reads are fast: a longer run gives no more precision.
const secondsMax = 3;

/** The cost of reading the usage state by number of events, folded by the system. */
interface StateFigure {
  readonly id: string;
  readonly spread: UsageSpread;
  readonly demand: Demand;
}

const p12: StateFigure = { id: 'P12', spread: 'period', demand: { atLeast: slowest } };
// At most twice the cost.
const u1: StateFigure = { id: 'U1', spread: 'open hour', demand: { atLeast: 1 / 2 } };

/** P12: state reads by number of events in the period. */
export function stateReads(stage: Stage, effort: Effort): Promise<Comparison[]> {
  return readStates(p12, stage, effort);
}

/** U1: state reads by number of events of one series in the open hour. */
export const openHourReads: Bench = {
  name: 'open-hour',
  title: 'GET /v1/customers/:id/state with many events in the open hour',
  run: async (stage, effort) => ({ comparisons: await readStates(u1, stage, effort) }),
};

async function readStates(
  { id, spread, demand }: StateFigure,
  stage: Stage,
  effort: Effort,
): Promise<Comparison[]> {
  const system = await stage.system();
  const seed = await UsageSeed.open(system);
  try {
    const usages: SeededUsage[] = [];
    for (const events of [few, ...(effort.isQuick ? more.quick : more.usual)]) {
      stage.log(`${id}: storing ${String(events)} events`);
      usages.push(await seed.customer(events, spread));
    }
    stage.log(`${id}: waiting until they are folded`);
    await seed.untilFolded(usages);
    const [least, ...others] = usages;
    if (least === undefined) throw new Error('Nothing was stored');
    const comparisons: Comparison[] = [];
    for (const usage of others) {
      comparisons.push(
        await compare({
          ...effort,
          seconds: Math.min(effort.seconds, secondsMax),
          id,
          title: `GET state, ${String(usage.events)} events of the ${spread} : ${String(few)}`,
          unit: 'reads/s',
          ours: readSide(stage, system, usage),
          floor: readSide(stage, system, least),
          demand,
          sharedPids: () => stage.sharedPids(),
          log: stage.log,
        }),
      );
    }
    return comparisons;
  } finally {
    await seed.close();
  }
}

function readSide(stage: Stage, system: StagedSystem, { customerId, events }: SeededUsage): Side {
  const job = {
    url: system.gatewayUrl,
    connections,
    headers: { Authorization: `Bearer ${system.keys.testKey}` },
    requests: [{ method: 'GET', path: `/v1/customers/${customerId}/state` } as const],
  };
  return {
    name: `${String(events)} events`,
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
