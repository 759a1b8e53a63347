import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo } from '@billing/chassis/mongo';
import { Service } from '@billing/chassis/service';
import { everySlice, type Slices } from '@billing/chassis/slices';
import {
  dropTestDatabase,
  roundsOf,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { Aggregation as ProtoAggregation } from '@billing/proto/billing/metering/v1/metering';
import fc from 'fast-check';
import type { SeriesStorage } from '../fold/series-storage';
import type { Aggregation } from '../meter/aggregation';
import { meterDefinition } from '../meter/store';
import { EarlierUsage, type HourState, type Used } from '../testing/earlier-usage';
import { present, startFolding, startMetering } from '../testing/fixtures';
import { TestedSeries } from '../testing/flushes';
import { recountUsage } from '../testing/raw-usage';
import { openEvents } from '../testing/events';
import { hourMs, type Span } from '../usage/hour';
import { EarlierUsageStore } from './earlier-usage-store';
import { takeOverSeries } from './take-over-series';
import { Takeover } from './takeover-worker';

const configuration = testServiceConfiguration('metering');
const tenant = testTenant();
const { environmentId } = tenant;
const ten = new Date('2026-03-01T10:00:00Z').getTime();
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** A series that an earlier version has counted, and its takeover. */
class TakenUsage extends EarlierUsage {
  readonly tested: TestedSeries;
  readonly store: EarlierUsageStore;

  constructor(aggregation: Aggregation, firstMs = ten) {
    const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
    const series = { customerId: newId(), meterId: newId(), aggregation, uniqueProperty };
    super(mongo.db, tenant, series, firstMs);
    this.tested = new TestedSeries(mongo.db, tenant, series);
    this.store = new EarlierUsageStore(mongo.db, openEvents(mongo.db));
  }

  async takeOver(
    storage: SeriesStorage = this.tested.store,
    signal = new AbortController().signal,
  ): Promise<void> {
    const { series, store } = this;
    const earlier = await store.find(environmentId, series);
    if (earlier === undefined) return;
    await takeOverSeries(earlier, { store, storage, series, signal, now: new Date(ten) });
  }

  /** Reads equal a recount of all events, and nothing of the earlier version is left. */
  async expectRecount(edges: readonly number[]): Promise<void> {
    const { series, tested } = this;
    const spans = edges.slice(1).map((end, index) => span(edges[index] ?? 0, end));
    const { totals, quantity } = await recountUsage(mongo.db, tenant, { series, spans });
    const {
      windows: [read],
    } = await tested.read(spans);
    expect(read?.quantity.toString()).toBe(quantity);
    expect(read?.spans.map(({ total }) => [total.events, total.quantity])).toEqual(
      totals.map((one) => [one.events, one.quantity]),
    );
    expect(await this.store.find(environmentId, series)).toBeUndefined();
    const { customerId } = series;
    const left = await mongo.db.collection('usageHours').countDocuments({ customerId });
    expect(left).toBe(0);
  }
}

function span(startMs: number, endMs: number): Span {
  return { start: new Date(ten + startMs), end: new Date(ten + endMs) };
}

/** A storage whose process is killed at a step. */
function killedAfter(steps: number, storage: SeriesStorage): SeriesStorage {
  let left = steps;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Error('Killed');
  };
  return {
    values: storage.values,
    until: (options) => storage.until(options),
    parts: (query) => storage.parts(query),
    countParts: () => storage.countParts(),
    partsUpTo: (epoch) => storage.partsUpTo(epoch),
    hours: (from, until) => {
      step();
      return storage.hours(from, until);
    },
    hourTotals: (from, until) => storage.hourTotals(from, until),
    storeHour: async (hour) => {
      step();
      const isStored = await storage.storeHour(hour);
      step();
      return isStored;
    },
    storeCuts: (hour) => storage.storeCuts(hour),
    spans: (within) => storage.spans(within),
    announce: (spans) => storage.announce(spans),
    storeSpan: (one) => storage.storeSpan(one),
    deleteSpan: (one) => storage.deleteSpan(one),
    storeSpans: (all) => storage.storeSpans(all),
    recordReads: (spans) => storage.recordReads(spans),
    markFolded: (epoch) => storage.markFolded(epoch),
    deleteParts: (epoch) => storage.deleteParts(epoch),
    events: (one) => storage.events(one),
  };
}

const minute = 60_000;
const hours = 4;
const anyUse = fc.record({
  ms: fc.oneof(
    fc.nat({ max: hours * hourMs - 1 }),
    fc.constantFrom(0, hourMs, 30 * minute + 15_249, 30 * minute + 15_250),
  ),
  quantity: fc.integer({ min: -9, max: 9 }),
  user: fc.constantFrom('a', 'b', 'c', 'd'),
});
const anyUses = fc.array(anyUse, { minLength: 1, maxLength: 8 });
const anyStates = fc.array(
  fc.constantFrom<HourState>('sealed', 'sealed', 'reopened', 'announced', 'unsealed'),
  { minLength: hours, maxLength: hours },
);
const anyEdges = fc
  .uniqueArray(fc.oneof(fc.nat({ max: hours * hourMs }), fc.constantFrom(0, 1_815_250)), {
    minLength: 2,
    maxLength: 4,
  })
  .map((edges) => edges.toSorted((a, b) => a - b));
const anyFlushes = fc.array(
  fc.record({ events: anyUses, isBefore: fc.boolean(), isFolded: fc.boolean() }),
  { maxLength: 3 },
);

test('after a takeover, reads equal a recount, also if it was killed, and repeated at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...aggregations),
      fc.record({
        old: anyUses,
        states: anyStates,
        flushes: anyFlushes,
        edges: anyEdges,
        kills: fc.array(fc.nat({ max: 12 }), { maxLength: 2 }),
        isTwice: fc.boolean(),
      }),
      async (aggregation, { old, states, flushes, edges, kills, isTwice }) => {
        const usage = new TakenUsage(aggregation);
        await usage.use(old);
        // A version that stored parts in addition, and sealed hours with their events.
        for (const { events, isFolded } of flushes.filter(({ isBefore }) => isBefore)) {
          await usage.tested.flush(events.map(toFlushed));
          if (isFolded) await usage.tested.fold();
        }
        await usage.seal(states);
        for (const { events } of flushes.filter(({ isBefore }) => !isBefore)) {
          await usage.tested.flush(events.map(toFlushed));
        }
        for (const steps of kills) {
          await usage.takeOver(killedAfter(steps, usage.tested.store)).catch((error: unknown) => {
            expect(error).toEqual(new Error('Killed'));
          });
        }
        await Promise.all([usage.takeOver(), ...(isTwice ? [usage.takeOver()] : [])]);
        await usage.expectRecount(edges);
        await usage.tested.fold();
        await usage.expectRecount(edges);
        await usage.expectRecount([0, ...edges.filter((edge) => edge > 0)]);
      },
    ),
    { numRuns: roundsOf(60) },
  );
});

function toFlushed({ ms, quantity, user }: Used) {
  return { timestamp: new Date(ten + ms), quantity: String(quantity), properties: { user } };
}

test('a valid total is taken over without a read of its events; minutes are counted when an edge needs them', async () => {
  const usage = new TakenUsage('SUM');
  await usage.use([{ ms: 5 * minute, quantity: 4, user: 'a' }]);
  await usage.seal(['sealed']);
  const { store } = usage.tested;
  await usage.takeOver({
    ...killedAfter(Infinity, store),
    events: () => {
      throw new Error('Raw read');
    },
  });
  const hourOf = async () => (await store.hours(ten / hourMs, ten / hourMs + 1))[0];
  expect(await hourOf()).toMatchObject({ folded: 0, minutes: [], total: { quantity: '4' } });
  await usage.tested.flush([toFlushed({ ms: 6 * minute, quantity: 2, user: 'a' })]);
  await usage.tested.fold();
  expect(await usage.tested.readQuantities([span(0, 5.5 * minute)])).toEqual(['4']);
  expect(await hourOf()).toMatchObject({
    folded: 1,
    minutes: [
      [ten / minute + 5, 1, '4'],
      [ten / minute + 6, 1, '2'],
    ],
    total: { quantity: '6' },
  });
});

test('a takeover that has no time left is continued by the next one', async () => {
  const usage = new TakenUsage('UNIQUE_COUNT');
  await usage.use([0, hourMs, 2 * hourMs].map((ms) => ({ ms, quantity: 1, user: String(ms) })));
  await usage.seal(['sealed', 'unsealed']);
  await expect(usage.takeOver(undefined, AbortSignal.abort())).rejects.toMatchObject({
    reason: 'USAGE_READ_TIMEOUT',
  });
  await usage.takeOver();
  await usage.expectRecount([0, 3 * hourMs]);
});

describe('the takeover of all series', () => {
  async function aTakeover(slices: Pick<Slices, 'owns'> = everySlice) {
    const service = await Service.open('metering', configuration);
    const meters = service.aggregates(meterDefinition);
    const store = new EarlierUsageStore(mongo.db, openEvents(mongo.db));
    const searches = { count: 0 };
    const counting = Object.create(store) as EarlierUsageStore;
    counting.find = (...which) => {
      searches.count += 1;
      return store.find(...which);
    };
    const storages = new Map<string, SeriesStorage>();
    const takeover = new Takeover({
      store: counting,
      storageOf: ({ meterId }) => {
        const storage = storages.get(meterId);
        if (storage === undefined) throw new Error('Unknown series');
        return storage;
      },
      meters,
      slices,
      clock: systemClock,
      logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
    });
    const stop = async () => (await service.serve([])).stop();
    return { takeover, storages, searches, stop };
  }

  const { signal } = new AbortController();

  test('takes a series over at its first use, and looks nothing up once none is left', async () => {
    const { takeover, storages, searches, stop } = await aTakeover();
    const usage = new TakenUsage('SUM');
    storages.set(usage.series.meterId, usage.tested.store);
    await usage.use([{ ms: 0, quantity: 3, user: 'a' }]);
    await usage.seal(['unsealed']);
    const series = { ...usage.series, environmentId };
    await takeover.run(AbortSignal.abort());
    await takeover.ensure(series, signal);
    await takeover.ensure(series, signal);
    await usage.expectRecount([0, hourMs]);
    expect(searches.count).toBe(1);
    // The other tests of this file leave no series.
    await takeover.run(signal);
    await takeover.ensure({ ...series, customerId: newId() }, signal);
    expect(searches.count).toBe(1);
    await stop();
  });

  test('takes over series that are not used, in the background', async () => {
    const { takeover, stop } = await aTakeover();
    const usage = new TakenUsage('SUM');
    await usage.seal(['sealed']);
    // The meter is deleted, which only a meter without usage can be.
    await takeover.run(signal);
    expect(await usage.store.find(environmentId, usage.series)).toBeUndefined();
    await stop();
  });

  test('takes over own series that come after many of other replicas', async () => {
    const others = Array.from({ length: 200 }, () => new TakenUsage('SUM'));
    const own = new TakenUsage('SUM', ten + hourMs);
    const { customerId } = own.series;
    const { takeover, stop } = await aTakeover({ owns: (id) => id.includes(customerId) });
    for (const usage of [...others, own]) await usage.seal([]);
    await takeover.run(signal);
    expect(await own.store.find(environmentId, own.series)).toBeUndefined();
    // Those of other replicas are left: the next first use looks them up.
    const [other] = others;
    expect(await other?.store.find(environmentId, other.series)).toBeDefined();
    await stop();
    await mongo.db.collection('usageSeries').deleteMany({ sealAt: { $exists: true } });
  });
});

test('usage of an earlier version is in the state and the bill of a new process', async () => {
  const service = await startMetering();
  const folding = await startFolding(service.configuration);
  const now = new Date(ten + 30 * hourMs);
  const context = testContext({ now });
  const wanted = { name: 'Calls', aggregation: ProtoAggregation.AGGREGATION_SUM };
  const { meter } = await service.metering.createMeter({ ...wanted, metadata: undefined }, context);
  const [meterId, customerId] = [present(meter).id, present(service.customers.pop())];
  const series = { customerId, meterId, aggregation: 'SUM', uniqueProperty: null } as const;
  const earlier = new EarlierUsage(folding.db, context.tenant, series, ten);
  await earlier.use([0, 1, 2].map((hour) => ({ ms: hour * hourMs + 1, quantity: 5, user: 'a' })));
  await earlier.seal(['sealed', 'reopened', 'announced']);
  const replica = await service.startReplica();
  const event = { customerId, meterId, timestamp: new Date(ten), quantity: 2 };
  await replica.metering.ingestEvents({ body: Buffer.from(JSON.stringify([event])) }, context);
  const { states } = await replica.metering.getUsageState({ customerId }, context);
  expect(states).toMatchObject([{ meterId, usage: '17' }]);
  const meters = [{ meterId, includedUnits: '0', taken: [], stretches: [] }];
  // The last of the events is after the period.
  const period = { start: new Date(ten), end: new Date(ten + 2 * hourMs) };
  const { usages } = await replica.metering.settleUsage(
    {
      ...{ subscriptionId: newId(), customerId, key: 'period:0', unbilledKeys: [] },
      windows: [{ periodIndex: 0, ...period, meters }],
    },
    context,
  );
  expect(usages).toMatchObject([{ current: { quantity: '12' } }]);
  await replica.stop();
  await folding.stop();
  await service.stop();
});
