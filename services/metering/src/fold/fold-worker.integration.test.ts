import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo } from '@billing/chassis/mongo';
import { Service } from '@billing/chassis/service';
import { sliceCount, type SliceFilter, sliceOf } from '@billing/chassis/slices';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { createMeter } from '../meter/meter';
import { meterDefinition } from '../meter/store';
import { TestedSeries } from '../testing/flushes';
import { hourMs, type Series } from '../usage/hour';
import { type BucketStore, countParts, ensureBucketIndexes } from './bucket-store';
import { FoldScheduleStore } from './fold-schedule-store';
import { foldDueSeries, SeriesSizes } from './fold-worker';
import { UnreadSpanStore } from './unread-span-store';

const configuration = testServiceConfiguration('metering');
const tenant = testTenant();
const start = new Date('2026-03-01T10:00:00Z');
const minute = 60_000;
const day = 24 * hourMs;
const window = [{ start, end: new Date(start.getTime() + hourMs) }];
const event = { timestamp: start, quantity: '1', properties: {} };

let mongo: Awaited<ReturnType<typeof connectMongo>>;
let service: Service;
let now = start;
const stores = new Map<string, BucketStore>();
const clock: Clock = { now: () => now };

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  service = await Service.open('metering', configuration);
});

beforeEach(() => {
  now = start;
});

afterAll(async () => {
  await mongo.close();
  await (await service.serve([])).stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

async function aSeries(aggregation: 'COUNT' | 'UNIQUE_COUNT' = 'COUNT') {
  const uniqueProperty = aggregation === 'COUNT' ? undefined : 'user';
  const input = { name: 'Calls', aggregation, uniqueProperty };
  const meter = createMeter(input, { id: newId(), metadataProblems: [] });
  const meters = service.aggregates(meterDefinition);
  await meters.within({ tenant, now }).insert({ state: meter, events: [], commands: [] });
  const series = { customerId: newId(), meterId: meter.id, aggregation };
  const tested = new TestedSeries(mongo.db, tenant, {
    ...series,
    uniqueProperty: meter.uniqueProperty,
  });
  stores.set(meter.id, tested.store);
  await ensureBucketIndexes(tested.collections);
  const schedule = new FoldScheduleStore(tested.collections.series);
  await schedule.ensureIndexes();
  const folding = {
    schedule,
    meters,
    storageOf: ({ meterId }: Series) => {
      const store = stores.get(meterId);
      if (store === undefined) throw new Error('Unknown series');
      return store;
    },
    countParts: (k: string) => countParts(tested.collections, k),
    sizes: new SeriesSizes(),
    prepare: () => Promise.resolve(),
    clock,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  };
  return {
    tested,
    wake: () => schedule.wake([{ k: tested.k, tenant }], now),
    request: () => schedule.request([tested.k], now),
    fold: (slices: SliceFilter | 'none' = {}) =>
      foldDueSeries(
        { ...folding, slices: { filter: () => (slices === 'none' ? undefined : slices) } },
        new AbortController().signal,
      ),
    backlog: () => schedule.backlog(now),
    takeLargest: () => folding.sizes.takeLargest(),
    forgetSlice: () =>
      tested.collections.series.updateOne({ _id: tested.k }, { $unset: { slice: '' } }),
    partsLeft: () => tested.collections.parts.countDocuments({ k: tested.k }),
    foldAt: async () => (await tested.collections.series.findOne({ _id: tested.k }))?.foldAt,
    folded: async () =>
      Number((await tested.collections.series.findOne({ _id: tested.k }))?.folded),
  };
}

function later(ms: number): Date {
  return new Date(start.getTime() + ms);
}

test('a series is folded an hour after it was woken, and sleeps after a fold that finds nothing', async () => {
  const { tested, wake, fold, partsLeft, foldAt, folded } = await aSeries();
  await wake();
  await tested.flush([event]);
  tested.until = 1;
  now = later(59 * minute);
  await fold();
  expect(await partsLeft()).toBe(1);
  now = later(60 * minute);
  await fold();
  expect([await partsLeft(), await folded()]).toEqual([0, 1]);
  expect(await foldAt()).toEqual(later(120 * minute));
  now = later(120 * minute);
  await fold();
  expect(await foldAt()).toBeNull();
  await wake();
  expect(await foldAt()).toEqual(later(180 * minute));
});

test('a series with many parts is folded at once, and stays awake while a writer takes it for awake', async () => {
  const { tested, wake, request, fold, partsLeft, foldAt } = await aSeries();
  await wake();
  for (let flush = 0; flush < 64; flush += 1) await tested.flush([event]);
  tested.until = 64;
  await request();
  await fold();
  expect(await partsLeft()).toBe(0);
  await request();
  await fold();
  expect(await foldAt()).toEqual(later(60 * minute));
  expect(await tested.readQuantities(window)).toEqual(['64']);
});

test('a series whose parts cannot be folded yet does not sleep', async () => {
  const { tested, wake, fold, partsLeft, foldAt } = await aSeries();
  await wake();
  await tested.flush([event]);
  now = later(90 * minute);
  await fold();
  expect(await partsLeft()).toBe(1);
  expect(await foldAt()).toEqual(later(150 * minute));
});

test('of two workers, one folds a series', async () => {
  const { tested, wake, fold, foldAt } = await aSeries();
  await wake();
  await tested.flush([event]);
  tested.until = 1;
  const markFolded = jest.spyOn(tested.store, 'markFolded');
  now = later(60 * minute);
  await Promise.all([fold(), fold(), fold()]);
  expect(markFolded).toHaveBeenCalledTimes(1);
  expect(await foldAt()).toEqual(later(120 * minute));
});

test('a replica folds the series of its slices, and none while it has no slices', async () => {
  const { tested, wake, fold, partsLeft } = await aSeries();
  await wake();
  await tested.flush([event]);
  tested.until = 1;
  now = later(60 * minute);
  const slice = sliceOf(tested.k);
  const others = Array.from({ length: sliceCount }, (_, one) => one).filter((one) => one !== slice);
  await fold({ slice: { $in: others } });
  await fold('none');
  expect(await partsLeft()).toBe(1);
  await fold({ slice: { $in: [slice] } });
  expect(await partsLeft()).toBe(0);
});

test('a series that an earlier version woke has no slice, and is folded with the first one', async () => {
  const { tested, wake, fold, forgetSlice, partsLeft } = await aSeries();
  await wake();
  await forgetSlice();
  await tested.flush([event]);
  tested.until = 1;
  now = later(60 * minute);
  await fold({ slice: { $in: [0, null] } });
  expect(await partsLeft()).toBe(0);
});

test('a series that becomes due during a slow fold is folded before that fold ends', async () => {
  const slow = await aSeries();
  const other = await aSeries();
  await slow.wake();
  await slow.tested.flush([event]);
  slow.tested.until = 1;
  const ended = Promise.withResolvers<unknown>();
  const { store } = slow.tested;
  const deleteParts = store.deleteParts.bind(store);
  const held = jest.spyOn(store, 'deleteParts').mockImplementation(async (epoch) => {
    await ended.promise;
    await deleteParts(epoch);
  });
  now = later(60 * minute);
  const round = slow.fold();
  await eventually(() => {
    expect(held).toHaveBeenCalled();
  });
  now = later(0);
  await other.wake();
  await other.tested.flush([event]);
  other.tested.until = 1;
  now = later(60 * minute);
  await eventually(async () => {
    expect(await other.partsLeft()).toBe(0);
  });
  expect(await slow.partsLeft()).toBe(1);
  ended.resolve(true);
  await round;
  expect(await slow.partsLeft()).toBe(0);
});

test('the backlog shows series that are due, and how many parts the largest of them had', async () => {
  const { tested, wake, fold, backlog, takeLargest } = await aSeries();
  now = later(-30 * day);
  await wake();
  for (let flush = 0; flush < 3; flush += 1) await tested.flush([event]);
  const due = new Date(now.getTime() + 60 * minute);
  now = new Date(due.getTime() - 1);
  expect(await backlog()).toEqual({ series: 0, since: null });
  now = due;
  expect(await backlog()).toEqual({ series: 1, since: due });
  await fold();
  expect(takeLargest()).toBe(3);
  expect(await backlog()).toEqual({ series: 0, since: null });
  tested.until = 3;
  now = new Date(due.getTime() + 60 * minute);
  jest.spyOn(tested.store, 'partsUpTo').mockRejectedValueOnce(new Error('Broken'));
  await fold();
  expect([takeLargest(), takeLargest()]).toEqual([3, 0]);
});

test('a fold that fails is retried a minute later', async () => {
  const { tested, wake, fold, partsLeft, foldAt } = await aSeries();
  await wake();
  await tested.flush([event]);
  tested.until = 1;
  jest.spyOn(tested.store, 'markFolded').mockRejectedValueOnce(new Error('Broken'));
  now = later(60 * minute);
  await fold();
  expect(await foldAt()).toEqual(later(61 * minute));
  now = later(61 * minute);
  await fold();
  expect(await partsLeft()).toBe(0);
  expect(await tested.readQuantities(window)).toEqual(['1']);
});

describe('spans of a period that later grants of credits have cut', () => {
  /** Spans that begin at a minute of the hour and end with it. */
  const tails = [0, 10, 20].map((minutes) => [
    { start: later(minutes * minute), end: later(hourMs) },
  ]);
  const late = { ...event, timestamp: later(30 * minute) };

  async function tailsRead(daysAgo: readonly number[]) {
    const { tested } = await aSeries();
    await tested.flush([late]);
    expect(await tested.readQuantities(...tails)).toEqual(['1', '1', '1']);
    const { spans } = tested.collections;
    const { k } = tested;
    const ids = (await spans.find({ k }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    const setReadAt = async (days: readonly number[]) => {
      for (const [index, _id] of ids.entries()) {
        const readAt = new Date(Date.now() - (days[index] ?? 0) * day);
        await spans.updateOne({ _id }, { $set: { readAt } });
      }
    };
    await setReadAt(daysAgo);
    const kept = async () =>
      (await spans.find({ k }).sort({ _id: 1 }).toArray()).map(({ _id }) => ids.indexOf(_id));
    return { tested, kept };
  }

  test('are deleted by a fold two days after their last read, and built again by a read', async () => {
    const { tested, kept } = await tailsRead([4, 1, 0]);
    await tested.fold();
    expect(await kept()).toEqual([1, 2]);
    await tested.flush([late]);
    expect(await tested.readQuantities(...tails)).toEqual(['2', '2', '2']);
    await tested.fold();
    expect(await kept()).toEqual([0, 1, 2]);
    expect(await tested.readQuantities(...tails)).toEqual(['2', '2', '2']);
  });

  test('stay without new events, and if none that begins later was read since', async () => {
    const { tested, kept } = await tailsRead([0, 4, 4]);
    await tested.fold();
    expect(await kept()).toEqual([0, 1, 2]);
    const other = await tailsRead([4, 0, 0]);
    await other.tested.fold(0);
    expect(await other.kept()).toEqual([0, 1, 2]);
  });

  test('are folded if they are read while a fold deletes them', async () => {
    const { tested, kept } = await tailsRead([4, 0, 0]);
    const { store } = tested;
    const deleteSpan = store.deleteSpan.bind(store);
    jest.spyOn(store, 'deleteSpan').mockImplementationOnce(async (span) => {
      await store.recordReads([span]);
      return deleteSpan(span);
    });
    await tested.fold();
    expect(await kept()).toEqual([0, 1, 2]);
    expect(await tested.readQuantities(...tails)).toEqual(['1', '1', '1']);
  });
});

test('a span that is not read for 40 days is deleted with its values, and built again by a read', async () => {
  const { tested } = await aSeries('UNIQUE_COUNT');
  const { spans, values } = tested.collections;
  const { k } = tested;
  await tested.flush([{ ...event, properties: { user: 'a' } }]);
  expect(await tested.readQuantities(window)).toEqual(['1']);
  await tested.fold();
  const before = await values.countDocuments({ k });
  const unread = new UnreadSpanStore(tested.collections);
  const readAt = (await spans.findOne({ k }))?.readAt ?? start;
  expect(await unread.deleteSome(new Date(readAt.getTime() + 40 * day))).toBe(false);
  expect(await spans.countDocuments({ k })).toBe(1);
  await unread.deleteSome(new Date(readAt.getTime() + 40 * day + 1));
  expect(await spans.countDocuments({ k })).toBe(0);
  expect(await values.countDocuments({ k })).toBe(before - 1);
  expect(await tested.readQuantities(window)).toEqual(['1']);
});
