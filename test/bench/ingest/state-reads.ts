import type { Effort } from '../bench';
import { compare, type Comparison, type Side } from '../figures/comparison';
import type { Stage, StagedSystem } from '../stage/stage';
import { type SeededUsage, UsageSeed } from './usage-seed';

const few = 1_000;
const more = { quick: [10_000, 100_000], usual: [10_000, 100_000, 1_000_000] };
const connections = 8;
// Work that costs 1.5 times as much runs at this share of the speed.
const slowest = 0.66;
// Reads are fast: a longer run gives no more precision.
const secondsMax = 3;

/**
 * P12: the cost of reading the usage state by number of events in the period, folded by the system.
 */
export async function stateReads(stage: Stage, effort: Effort): Promise<Comparison[]> {
  const system = await stage.system();
  const seed = await UsageSeed.open(system);
  try {
    const usages: SeededUsage[] = [];
    for (const events of [few, ...(effort.isQuick ? more.quick : more.usual)]) {
      stage.log(`P12: storing ${String(events)} events`);
      usages.push(await seed.customer(events));
    }
    stage.log('P12: waiting until they are folded');
    await seed.untilFolded(usages);
    const [least, ...others] = usages;
    if (least === undefined) throw new Error('Nothing was stored');
    const comparisons: Comparison[] = [];
    for (const usage of others) {
      comparisons.push(
        await compare({
          ...effort,
          seconds: Math.min(effort.seconds, secondsMax),
          id: 'P12',
          title: `GET state, ${String(usage.events)} events : ${String(few)}`,
          unit: 'reads/s',
          ours: readSide(stage, system, usage),
          floor: readSide(stage, system, least),
          demand: { atLeast: slowest },
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
