import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import {
  dropTestDatabase,
  roundsOf,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import fc from 'fast-check';
import { foldSeries } from '../fold/fold-series';
import type { Aggregation } from '../meter/aggregation';
import { TestedSeries } from '../testing/flushes';
import { hashedValue, packValues } from '../distinct/packed-values';
import { recountUsage } from '../testing/raw-usage';
import { hourMs, type Span } from '../usage/hour';

const configuration = testServiceConfiguration('metering');
const tenant = testTenant();
const ten = new Date('2026-03-01T10:00:00Z').getTime();
const minute = 60_000;

let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function aSeries(aggregation: Aggregation): TestedSeries {
  const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
  const series = { customerId: newId(), meterId: newId(), aggregation, uniqueProperty };
  return new TestedSeries(mongo.db, tenant, series);
}

function anEvent(ms: number, quantity: number | string = 1, user?: string) {
  const properties = user === undefined ? {} : { user };
  return { timestamp: new Date(ten + ms), quantity: String(quantity), properties };
}

function span(startMs: number, endMs: number): Span {
  return { start: new Date(ten + startMs), end: new Date(ten + endMs) };
}

const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

test('reads of kept spans, hours and parts equal a recount of all events', async () => {
  const sent = fc.record({
    ms: fc.oneof(fc.nat({ max: 3 * hourMs - 1 }), fc.constantFrom(0, hourMs, 1_815_250)),
    quantity: fc.integer({ min: -9, max: 9 }),
    user: fc.constantFrom('a', 'b', 'c'),
  });
  const batches = fc.array(
    fc.record({ events: fc.array(sent, { minLength: 1, maxLength: 5 }), isFolded: fc.boolean() }),
    { minLength: 1, maxLength: 4 },
  );
  const edges = fc.uniqueArray(
    fc.oneof(fc.nat({ max: 3 * hourMs }), fc.constantFrom(0, hourMs, 1_815_250)),
    { minLength: 2, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...aggregations),
      batches,
      edges,
      async (aggregation, all, cuts) => {
        const tested = aSeries(aggregation);
        const sorted = cuts.toSorted((a, b) => a - b);
        const spans = sorted.slice(1).map((end, index) => span(sorted[index] ?? 0, end));
        for (const { events, isFolded } of all) {
          await tested.flush(events.map(({ ms, quantity, user }) => anEvent(ms, quantity, user)));
          if (isFolded) await tested.fold();
          const { windows } = await tested.read(spans);
          const { totals, quantity } = await recountUsage(mongo.db, tenant, {
            series: tested.series,
            spans,
          });
          const [window] = windows;
          expect(window?.quantity.toString()).toBe(quantity);
          expect(
            window?.spans.map(({ total }) => [total.events, total.quantity, total.latest]),
          ).toEqual(totals.map((one) => [one.events, one.quantity, one.latest]));
        }
      },
    ),
    { numRuns: roundsOf(30) },
  );
});

test('A5: a period that starts inside a minute has the events from its start on, before and after folding', async () => {
  const tested = aSeries('SUM');
  const cut = 30 * minute + 15_250;
  const windows = [[span(0, cut)], [span(cut, 2 * hourMs)]];
  await tested.flush([anEvent(cut - 1, 5), anEvent(cut, 7)]);
  expect(await tested.readQuantities(...windows)).toEqual(['5', '7']);
  await tested.fold();
  expect(await tested.readQuantities(...windows)).toEqual(['5', '7']);
  const [hour] = await tested.store.hours(ten / hourMs, ten / hourMs + 1);
  expect(hour?.cuts.map(({ at, before, after }) => [at, before.quantity, after.quantity])).toEqual([
    [new Date(ten + cut), '5', '7'],
  ]);
  // The minute is not read again: its events are gone.
  for (const events of await tested.collections.events.all()) {
    await events.deleteMany({ k: tested.k });
  }
  expect(await tested.readQuantities([span(cut, hourMs)])).toEqual(['7']);
});

test('A4: an event that arrives 20 days late is in the next read, and in its hour after the next fold', async () => {
  const tested = aSeries('COUNT');
  const month = [span(0, 30 * 24 * hourMs)];
  const hour = async () => (await tested.store.hours(ten / hourMs, ten / hourMs + 1))[0];
  await tested.flush([anEvent(0)]);
  await tested.fold();
  await tested.flush([anEvent(20 * 24 * hourMs)]);
  await tested.fold();
  expect(await tested.readQuantities(month)).toEqual(['2']);
  const folded = (await hour())?.folded;
  await tested.flush([anEvent(1)]);
  expect(await tested.readQuantities(month)).toEqual(['3']);
  expect((await hour())?.folded).toBe(folded);
  await tested.fold();
  expect(await tested.readQuantities(month)).toEqual(['3']);
  expect((await hour())?.folded).toBeGreaterThan(folded ?? 0);
});

test('A12: a part that is inserted again after its fold changes no read, and the next fold deletes it', async () => {
  for (const aggregation of aggregations) {
    const tested = aSeries(aggregation);
    const { parts } = tested.collections;
    const windows = [[span(0, hourMs)], [span(3, 2 * hourMs)]];
    await tested.flush([anEvent(5, 3, 'a'), anEvent(hourMs, 4, 'b')]);
    const all = await parts.find({ k: tested.k }).toArray();
    const before = await tested.readQuantities(...windows);
    await tested.fold();
    expect(await parts.countDocuments({ k: tested.k })).toBe(0);
    await parts.insertMany(all);
    expect(await tested.readQuantities(...windows)).toEqual(before);
    expect(await tested.readQuantities([span(0, 2 * hourMs)])).toHaveLength(1);
    await tested.fold();
    expect(await parts.countDocuments({ k: tested.k })).toBe(0);
    expect(await tested.readQuantities(...windows)).toEqual(before);
  }
});

test('concurrent folds and reads of one series count each part once', async () => {
  const tested = aSeries('UNIQUE_COUNT');
  const window = [span(0, 2 * hourMs)];
  for (let flush = 0; flush < 12; flush += 1) {
    await tested.flush([
      anEvent(flush * minute, 1, `user-${String(flush)}`),
      anEvent(hourMs + flush, 1, `user-${String(flush % 3)}`),
    ]);
    tested.until = flush;
    const [, , , read] = await Promise.all([
      foldSeries(tested.store, 'UNIQUE_COUNT'),
      foldSeries(tested.store, 'UNIQUE_COUNT'),
      foldSeries(tested.store, 'UNIQUE_COUNT'),
      tested.read(window),
    ]);
    expect(read.windows.map((one) => [one.quantity.toString(), one.events])).toEqual([
      [String(flush + 1), 2 * (flush + 1)],
    ]);
  }
});

test('distinct values spread over many documents are counted, once per value', async () => {
  const tested = aSeries('UNIQUE_COUNT');
  const { values } = tested.collections;
  const { k } = tested;
  const window = [span(0, 100 * hourMs)];
  for (let flush = 0; flush < 10; flush += 1) {
    await tested.flush(
      Array.from({ length: 1_000 }, (_one, index) =>
        anEvent(index % 100, 1, `user-${String(flush * 900 + index)}`),
      ),
    );
  }
  // More hours than streams that are merged at a time.
  await tested.flush(
    Array.from({ length: 99 }, (_one, index) => anEvent((index + 1) * hourMs, 1, 'user-1')),
  );
  expect(await tested.readQuantities(window)).toEqual(['9100']);
  await tested.fold();
  expect(await tested.readQuantities(window)).toEqual(['9100']);
  // A new span is merged from 100 hours, in two steps.
  expect(await tested.readQuantities([span(0, 101 * hourMs)])).toEqual(['9100']);
  // Three documents for the first hour and each span, one for each other hour; nothing is left of
  // intermediate steps.
  expect(await values.countDocuments({ k })).toBe(3 + 3 + 3 + 99);
  await tested.flush([anEvent(1, 1, 'new'), anEvent(1, 1, 'user-1')]);
  expect(await tested.readQuantities(window)).toEqual(['9101']);
  await tested.fold();
  expect(await tested.readQuantities(window)).toEqual(['9101']);
  expect(await values.countDocuments({ k })).toBe(3 + 3 + 3 + 99);
});

test('A1: two million events of one hour add up exactly, before and after folding', async () => {
  const tested = aSeries('SUM');
  const parts = Array.from({ length: 400 }, (_one, index) => ({
    minutes: [[ten / minute + (index % 60), 5_000, '5'] as const],
  }));
  await tested.insertParts(parts);
  expect(await tested.readQuantities([span(0, hourMs)])).toEqual(['2000']);
  await tested.fold();
  const { windows } = await tested.read([span(0, hourMs)], [span(0, 2 * hourMs)]);
  expect(windows.map((one) => [one.quantity.toString(), one.events])).toEqual([
    ['2000', 2_000_000],
    ['2000', 2_000_000],
  ]);
});

test('A6: 100,000 distinct values of 1,000 characters in one hour are counted by 16 reads at the same time', async () => {
  const tested = aSeries('UNIQUE_COUNT');
  const valueOf = (number: number) => String(number).padStart(1_000, 'x');
  await tested.insertParts(
    Array.from({ length: 100 }, (_one, part) => {
      const hashes = Array.from({ length: 1_000 }, (_value, index) =>
        hashedValue(tested.series.meterId, valueOf(part * 1_000 + index)),
      );
      return {
        minutes: [[ten / minute + (part % 60), 1_000, null] as const],
        values: [[ten / hourMs, packValues(hashes)] as const],
      };
    }),
  );
  const reads = (window: readonly Span[]) =>
    Promise.all(Array.from({ length: 16 }, () => tested.readQuantities(window)));
  const all = Array.from({ length: 16 }, () => ['100000']);
  expect(await reads([span(0, hourMs)])).toEqual(all);
  await tested.fold();
  expect(await reads([span(0, hourMs)])).toEqual(all);
  // All of them build the new span, and one stores it.
  expect(await reads([span(0, 2 * hourMs)])).toEqual(all);
  const { k, collections } = tested;
  expect(await collections.values.countDocuments({ k })).toBe(3 * 25);
});

test('a fold works in steps of 5,000 parts', async () => {
  const tested = aSeries('SUM');
  const { parts } = tested.collections;
  await tested.flush([anEvent(0)]);
  const [first] = await parts.find({ k: tested.k }).toArray();
  if (first === undefined) throw new Error('No part');
  await parts.insertMany(
    Array.from({ length: 7_000 }, (_one, index) => ({
      ...first,
      _id: `${tested.k}:${String(2 + Math.floor(index / 10)).padStart(7, '0')}:w${String(index)}`,
    })),
  );
  tested.until = 36 ** 6;
  const steps = [];
  for (let left = 'more'; left === 'more';) {
    const step = await foldSeries(tested.store, 'SUM');
    steps.push(step.parts);
    ({ left } = step);
  }
  expect(steps).toHaveLength(2);
  expect(steps[0]).toBeGreaterThan(4_980);
  // An epoch is folded as a whole; here, it has ten parts.
  expect(steps[0]).toBeLessThan(5_010);
  expect(await tested.readQuantities([span(0, hourMs)])).toEqual(['7001']);
});
