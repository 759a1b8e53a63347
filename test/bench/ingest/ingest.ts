import type { Bench, Effort } from '../report/bench';
import { compare, type Comparison, type Side } from '../figures/comparison';
import { openLoopTable, readersTable } from './latency';
import { memoryTable } from './memory';
import { type IngestPace, IngestSite } from './site';
import type { Demand } from '../figures/statistics';
import type { Stage } from '../stage/stage';
import { stateReads } from './state-reads';

const large = { size: 1_000, inFlight: 4 };
const middle = { size: 100, inFlight: 8 };
const single = { size: 1, inFlight: 32 };

/**
 * P3, P4, P5: stored usage events, against the driver alone, a bare hop, and batches without
 * invalid events. P10, P12, P14: the effect of ingest on other callers, the cost of reads, and
 * memory over time.
 */
export const ingest: Bench = {
  name: 'ingest',
  title: 'POST /v1/events/ingest and GET /v1/customers/:id/state',
  run: async (stage, effort) => {
    const site = await IngestSite.open(stage);
    const parts = { site, stage, effort };
    const taken = await comparisonsOf(site, stage, effort);
    const maxima = [large, middle, single].map(({ size }, index) => ({
      size,
      eventsPerSecond: taken[index]?.ours.perSecond.median ?? 0,
    }));
    const [ofLarge, ofMiddle] = maxima;
    if (ofLarge === undefined || ofMiddle === undefined) throw new Error('Nothing was measured');
    const figures = [
      await openLoopTable(maxima, parts),
      await readersTable(ofLarge, parts),
      await memoryTable(ofMiddle, parts),
    ];
    return { comparisons: [...taken, ...(await stateReads(stage, effort))], figures };
  },
};

async function comparisonsOf(
  site: IngestSite,
  stage: Stage,
  effort: Effort,
): Promise<Comparison[]> {
  const inserts = await site.insertsSide();
  const hop = await site.hopSide();
  const common = {
    ...effort,
    unit: 'events/s',
    sharedPids: () => stage.sharedPids(),
    log: stage.log,
  };
  const against = (
    id: string,
    pace: IngestPace,
    { floor, what, demand }: { floor: Side; what: string; demand?: Demand },
  ) =>
    compare({
      ...common,
      id,
      title: `ingest ${String(pace.size)} × ${String(pace.inFlight)} : ${what}`,
      ours: site.side(pace),
      floor,
      demand,
    });
  const driver = 'insertMany by the driver';
  const bare = 'Express + gRPC + insertMany';
  const dirty = { ...large, isDirty: true };
  return [
    await against('P3', large, { floor: inserts(large), what: driver, demand: { atLeast: 0.7 } }),
    await against('P4', middle, { floor: inserts(middle), what: driver, demand: { atLeast: 0.6 } }),
    await against('ingest 1', single, { floor: inserts(single), what: driver }),
    await against('ingest 1000', large, { floor: hop(large), what: bare }),
    await against('ingest 100', middle, { floor: hop(middle), what: bare }),
    await against('P5', dirty, {
      floor: site.side(large, 'clean'),
      what: 'without its 10 % duplicates and 1 % unknown',
      demand: { atLeast: 0.7 },
    }),
  ];
}
