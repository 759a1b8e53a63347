import type { CallContext } from '@billing/chassis/call-context';
import { monotonicMs } from '@billing/chassis/clock';
import { eventually, roundsOf, testContext } from '@billing/chassis/testing';
import { Aggregation as ProtoAggregation } from '@billing/proto/billing/metering/v1/metering';
import fc from 'fast-check';
import { epochOfPart } from '../flush/part';
import { openBuckets } from '../fold/bucket-store';
import type { Aggregation } from '../meter/aggregation';
import { TestedSeries } from '../testing/flushes';
import { present, startMetering, startFolding } from '../testing/fixtures';
import { recountUsage } from '../testing/raw-usage';
import { openEvents } from '../testing/events';
import { hourMs, type MeasuredSeries } from '../usage/hour';

let service: Awaited<ReturnType<typeof startMetering>>;
let folding: Awaited<ReturnType<typeof startFolding>>;

beforeAll(async () => {
  service = await startMetering();
  folding = await startFolding(service.configuration);
});

afterAll(async () => {
  await folding.stop();
  await service.stop();
});

const noon = new Date('2026-03-10T12:00:00Z');
const aggregations = {
  SUM: ProtoAggregation.AGGREGATION_SUM,
  COUNT: ProtoAggregation.AGGREGATION_COUNT,
  MAX: ProtoAggregation.AGGREGATION_MAX,
  LATEST: ProtoAggregation.AGGREGATION_LATEST,
  UNIQUE_COUNT: ProtoAggregation.AGGREGATION_UNIQUE_COUNT,
} satisfies Record<Aggregation, ProtoAggregation>;

const sent = fc.record({
  eventId: fc.nat({ max: 9 }).map(String),
  ms: fc.oneof(fc.nat({ max: 5 * hourMs }), fc.constantFrom(0, hourMs, 1_815_249, 1_815_250)),
  quantity: fc.integer({ min: 0, max: 20 }),
  user: fc.constantFrom('a', 'b', 'c'),
});
const batches = fc.array(
  fc.record({
    events: fc.array(sent, { minLength: 1, maxLength: 4 }),
    isFolded: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);
const edges = fc.uniqueArray(
  fc.oneof(fc.nat({ max: 5 * hourMs }), fc.constantFrom(0, hourMs, 1_815_250)),
  { minLength: 2, maxLength: 4 },
);

async function aSeries(context: CallContext, aggregation: Aggregation): Promise<MeasuredSeries> {
  const { customers, metering } = service;
  const customerId = present(customers.pop());
  customers.unshift(customerId);
  const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
  const { meter } = await metering.createMeter(
    {
      name: 'Calls',
      aggregation: aggregations[aggregation],
      uniqueProperty: uniqueProperty ?? undefined,
      metadata: undefined,
    },
    context,
  );
  return { customerId, meterId: present(meter).id, aggregation, uniqueProperty };
}

/** One series that is read and counted again. */
function comparisonOf(context: CallContext, series: MeasuredSeries, edges: readonly Date[]) {
  const tested = new TestedSeries(folding.db, context.tenant, series);
  const spans = edges.slice(1).map((end, index) => ({ start: edges[index] ?? end, end }));
  const compare = async () => {
    const {
      windows: [read],
    } = await tested.read(spans);
    const { totals, quantity } = await recountUsage(folding.db, context.tenant, { series, spans });
    expect(read?.spans.map(({ total }) => [total.events, total.quantity])).toEqual(
      totals.map((one) => [one.events, one.quantity]),
    );
    expect(read?.quantity.toString()).toBe(quantity);
  };
  return { tested, compare };
}

async function readUntil(): Promise<number> {
  const epochs = folding.db.collection<{ _id: string; until: number | bigint }>('usageEpoch');
  return Number((await epochs.findOne({ _id: 'epoch' }))?.until ?? 0);
}

test('after any ingest, kept spans and parts hold the usage of all events', async () => {
  const all: ReturnType<typeof comparisonOf>[] = [];
  const start = noon.getTime() - 6 * hourMs;
  // Fewer runs on a slow machine; none is broken off, because its events would arrive later.
  const runsUntilMs = monotonicMs() + 60_000;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(aggregations) as Aggregation[])),
      batches,
      edges,
      async (aggregation, sentBatches, cuts) => {
        if (all.length > 0 && monotonicMs() > runsUntilMs) return;
        // One deadline for the whole run.
        const context = testContext({ now: noon, deadlineMs: 600_000 });
        const series = await aSeries(context, aggregation);
        const { customerId, meterId } = series;
        const sorted = cuts.toSorted((a, b) => a - b).map((ms) => new Date(start + ms));
        const comparison = comparisonOf(context, series, sorted);
        all.push(comparison);
        for (const { events, isFolded } of sentBatches) {
          const body = events.map(({ eventId, ms, quantity, user }) => {
            const properties = { user };
            const timestamp = new Date(start + ms);
            return { customerId, meterId, eventId, timestamp, quantity, properties };
          });
          await service.metering.ingestEvents({ body: Buffer.from(JSON.stringify(body)) }, context);
          if (isFolded) await folding.fold();
          await comparison.compare();
        }
      },
    ),
    { numRuns: roundsOf(30) },
  );
  // Later all parts can be folded.
  const { parts } = openBuckets(folding.db, openEvents(folding.db));
  const last = Math.max(...(await parts.find({}).toArray()).map((part) => epochOfPart(part)));
  const until = await eventually(
    async () => {
      const now = await readUntil();
      expect(now).toBeGreaterThanOrEqual(last);
      return now;
    },
    { everyMs: 200 },
  );
  for (const { tested, compare } of all) {
    await tested.fold(until);
    await compare();
  }
  expect(await parts.countDocuments({})).toBe(0);
}, 600_000);
