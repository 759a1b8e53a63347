import fc from 'fast-check';
import { LargeReads } from '../distinct/run-large-read';
import { partOf, totalOfMinute } from '../flush/part';
import { foldSeries } from '../fold/fold-series';
import type { FlushedEvent } from '../fold/series-storage';
import { type Aggregation, mergedTotal, quantityOf, totalOf } from '../meter/aggregation';
import { SeriesTable, storageOn } from '../testing/series-table';
import { hourMs, type Span } from '../usage/hour';
import { readUsage } from './read-usage';

const ten = new Date('2026-03-01T10:00:00Z').getTime();
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

interface Sent {
  readonly ms: number;
  readonly quantity: number;
  readonly user: string | null;
}

/** A series whose flushes, folds and reads take place one after another. */
class OneSeries {
  readonly table = new SeriesTable();
  readonly storage = storageOn(this.table);
  private epoch = 0;

  constructor(private readonly aggregation: Aggregation) {}

  flush(sent: readonly Sent[]): void {
    const { table, aggregation } = this;
    this.epoch += 1;
    const flush = `f${String(this.epoch)}`;
    const events = sent.map(({ ms, quantity, user }, index) => ({
      id: `${flush}-${String(index)}`,
      at: new Date(ten + ms),
      arrival: this.epoch,
      quantity: String(quantity),
      uniqueValue: user,
      epoch: this.epoch,
      flush,
    }));
    table.events.push(...events);
    const series = { k: 'k', meterId: 'm', aggregation };
    const { minutes, values = [] } = partOf({ epoch: this.epoch, flush }, series, events);
    table.insertPart({ epoch: this.epoch, flush, minutes, values });
  }

  /** Parts of the newest epochs cannot be folded yet. */
  async fold(newest: number): Promise<void> {
    this.table.until = Math.max(this.table.until, this.epoch - newest);
    await foldSeries(this.storage, this.aggregation);
  }

  read(...windows: readonly (readonly Span[])[]): Promise<string[]> {
    return this.query(windows, true);
  }

  /** Reads without keeping anything. */
  async readOnce(...windows: readonly (readonly Span[])[]): Promise<string[]> {
    const { hours, spans, values, parts } = this.table;
    const stored = () => structuredClone([hours, spans, values, parts]);
    const before = stored();
    const found = await this.query(windows, false);
    expect(stored()).toEqual(before);
    return found;
  }

  private async query(windows: readonly (readonly Span[])[], isKept: boolean): Promise<string[]> {
    const { aggregation } = this;
    const series = { customerId: 'c', meterId: 'm', aggregation, uniqueProperty: 'user' };
    const { windows: found } = await readUsage(this.storage, series, {
      environmentId: 'e',
      windows,
      isKept,
      largeReads: new LargeReads(),
      signal: new AbortController().signal,
    });
    return found.map(({ quantity, events }) => `${quantity.toString()} of ${String(events)}`);
  }

  recount(window: readonly Span[], upTo = Infinity): string {
    const total = totalOf(this.aggregation, this.eventsIn(window, upTo));
    return `${quantityOf(this.aggregation, total).toString()} of ${String(total.events)}`;
  }

  /** Each minute, hour and span has the total of its events. */
  expectBuckets(): void {
    const { aggregation, table } = this;
    const shown = (total: { events: number; quantity: string | null }) =>
      `${String(total.events)} ${total.quantity ?? ''}`;
    for (const { hour, folded, total, minutes } of table.hours.values()) {
      const span = { start: new Date(hour * hourMs), end: new Date((hour + 1) * hourMs) };
      const counted = totalOf(aggregation, this.eventsIn([span], folded));
      expect(shown(total)).toBe(shown(counted));
      const sum = mergedTotal(aggregation, minutes.map(totalOfMinute));
      if (aggregation === 'UNIQUE_COUNT') expect(minutes).toEqual([]);
      else expect(shown(sum)).toBe(shown(counted));
      expect(total.values?.counted ?? 0).toBe(counted.distinct.length);
    }
    for (const { isStub, folded, total, ...span } of table.spans.values()) {
      if (isStub) continue;
      const counted = totalOf(aggregation, this.eventsIn([span], folded));
      expect(shown(total)).toBe(shown(counted));
      expect(total.values?.counted ?? 0).toBe(counted.distinct.length);
    }
  }

  private eventsIn(window: readonly Span[], upTo: number): FlushedEvent[] {
    return this.table.events.filter(
      ({ at, epoch }) => epoch <= upTo && window.some(({ start, end }) => at >= start && at < end),
    );
  }
}

function span(startMs: number, endMs: number): Span {
  return { start: new Date(ten + startMs), end: new Date(ten + endMs) };
}

const minute = 60_000;
// Instants that hours and minutes begin at, and others inside of them.
const anyMs = fc.oneof(
  fc.nat({ max: 3 * hourMs - 1 }),
  fc.nat({ max: 179 }).map((number) => number * minute),
  fc.constantFrom(0, hourMs, 2 * hourMs, 30 * minute + 15_249, 30 * minute + 15_250),
);
const anySent: fc.Arbitrary<Sent> = fc.record({
  ms: anyMs,
  quantity: fc.integer({ min: -9, max: 9 }),
  user: fc.constantFrom('a', 'b', 'c', 'd', null),
});
const anyStep = fc.oneof(
  fc.record({
    kind: fc.constant('flush' as const),
    sent: fc.array(anySent, { minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constant('fold' as const), newest: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('repeat' as const), part: fc.nat() }),
  fc.record({
    kind: fc.constant('read' as const),
    edges: fc.uniqueArray(anyMs, { minLength: 2, maxLength: 4 }),
  }),
);

test('every read equals a recount, in any order, batches and repetition, late, and with edges anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...aggregations),
      fc.array(anyStep, { minLength: 1, maxLength: 14 }),
      async (aggregation, steps) => {
        const series = new OneSeries(aggregation);
        const inserted: Parameters<SeriesTable['insertPart']>[0][] = [];
        for (const step of steps) {
          switch (step.kind) {
            case 'flush':
              series.flush(step.sent);
              inserted.push(...series.table.parts.values());
              break;
            case 'fold':
              await series.fold(step.newest);
              break;
            case 'repeat': {
              const part = inserted[step.part % Math.max(1, inserted.length)];
              if (part !== undefined) series.table.insertPart(part);
              break;
            }
            case 'read': {
              const edges = step.edges.toSorted((a, b) => a - b);
              const spans = edges.slice(1).map((end, index) => span(edges[index] ?? 0, end));
              const windows = [spans, spans.slice(0, 1)];
              const counted = windows.map((window) => series.recount(window));
              expect(await series.readOnce(...windows)).toEqual(counted);
              expect(await series.read(...windows)).toEqual(counted);
              expect(await series.readOnce(...windows)).toEqual(counted);
            }
          }
          series.expectBuckets();
        }
        await series.fold(0);
        expect(series.table.parts.size).toBe(0);
        series.expectBuckets();
        expect(await series.read([span(0, 3 * hourMs)])).toEqual([
          series.recount([span(0, 3 * hourMs)]),
        ]);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('a period that starts inside a minute', () => {
  const cut = 30 * minute + 15_250;
  const [old, current] = [span(0, cut), span(cut, 2 * hourMs)];

  test('has the events from its start on, and the raw minute is read once', async () => {
    const series = new OneSeries('SUM');
    series.flush([
      { ms: cut - 1, quantity: 5, user: null },
      { ms: cut, quantity: 7, user: null },
    ]);
    await series.fold(0);
    expect(await series.read([old])).toEqual(['5 of 1']);
    expect(await series.read([current])).toEqual(['7 of 1']);
    expect(await series.read([span(cut, hourMs)])).toEqual(['7 of 1']);
    expect(series.table.rawReads).toBe(1);
  });

  test('counts an event that arrives later in this minute', async () => {
    const series = new OneSeries('MAX');
    series.flush([{ ms: cut, quantity: 7, user: null }]);
    await series.fold(0);
    expect(await series.read([old], [current])).toEqual(['0 of 0', '7 of 1']);
    series.flush([{ ms: cut - 1, quantity: 9, user: null }]);
    expect(await series.read([old], [current])).toEqual(['9 of 1', '7 of 1']);
    await series.fold(0);
    expect(await series.read([old], [current])).toEqual(['9 of 1', '7 of 1']);
    expect(await series.read([span(0, hourMs)])).toEqual(['9 of 2']);
  });
});

test.each([
  ['half of a minute', 'SUM', minute / 2],
  ['half of an hour of distinct values', 'UNIQUE_COUNT', 30 * minute],
] as const)('a read of %s fails if its events were dropped', async (_name, aggregation, at) => {
  const series = new OneSeries(aggregation);
  series.flush([
    { ms: at, quantity: 7, user: 'a' },
    { ms: at + 1, quantity: 7, user: 'b' },
  ]);
  await series.fold(0);
  const hours = [...series.table.hours.values()];
  series.table.events.pop();
  const dropped = { reason: 'USAGE_EVENTS_DROPPED' };
  await expect(series.read([span(0, at)])).rejects.toMatchObject(dropped);
  await expect(series.read([span(at, 2 * hourMs)])).rejects.toMatchObject(dropped);
  expect([...series.table.hours.values()]).toEqual(hours);
  const whole = await series.read([span(0, hourMs)]);
  expect(whole).toEqual([aggregation === 'SUM' ? '14 of 2' : '2 of 2']);
});

test('an hour without minutes is not overwritten if its events were dropped', async () => {
  const series = new OneSeries('SUM');
  series.flush([{ ms: minute, quantity: 7, user: null }]);
  await series.fold(0);
  for (const [number, hour] of series.table.hours) {
    series.table.hours.set(number, { ...hour, minutes: [] });
  }
  const hours = [...series.table.hours.values()];
  series.table.events.length = 0;
  await expect(series.read([span(0, 5 * minute)])).rejects.toMatchObject({
    reason: 'USAGE_EVENTS_DROPPED',
  });
  expect([...series.table.hours.values()]).toEqual(hours);
  expect(await series.read([span(0, hourMs)])).toEqual(['7 of 1']);
});

test('an event that arrives 20 days late is in the next read, and then in its hour', async () => {
  const series = new OneSeries('SUM');
  series.flush([{ ms: 0, quantity: 1, user: null }]);
  await series.fold(0);
  for (let flush = 0; flush < 10; flush += 1)
    series.flush([{ ms: 20 * 24 * hourMs, quantity: 1, user: null }]);
  await series.fold(0);
  const month = span(0, 30 * 24 * hourMs);
  expect(await series.read([month])).toEqual(['11 of 11']);
  const [first] = series.table.hours.values();
  expect(first?.folded).toBe(1);
  series.flush([{ ms: 1, quantity: 100, user: null }]);
  expect(await series.read([month])).toEqual(['111 of 12']);
  await series.fold(0);
  const [then] = series.table.hours.values();
  expect([then?.folded, then?.total.events]).toEqual([12, 2]);
  expect(await series.read([month])).toEqual(['111 of 12']);
});

test('a fold that has to wait for an epoch reads no part', async () => {
  const series = new OneSeries('SUM');
  series.flush([{ ms: 0, quantity: 1, user: null }]);
  series.storage.parts = () => Promise.reject(new Error('All parts were read'));
  expect(await foldSeries(series.storage, 'SUM')).toEqual({ parts: 0, waiting: 1, left: 'later' });
});

test('a part that is inserted again after it was folded changes no read, and goes with the next fold', async () => {
  for (const aggregation of aggregations) {
    const series = new OneSeries(aggregation);
    series.flush([{ ms: 5, quantity: 3, user: 'a' }]);
    const [part] = series.table.parts.values();
    const windows = [[span(0, hourMs)], [span(2, 7)]];
    const first = await series.read(...windows);
    await series.fold(0);
    if (part !== undefined) series.table.insertPart(part);
    expect(series.table.parts.size).toBe(1);
    expect(await series.read(...windows)).toEqual(first);
    expect(await series.read([span(0, 2 * hourMs)])).toEqual([first[0]]);
    await series.fold(0);
    expect(series.table.parts.size).toBe(0);
    expect(await series.read(...windows)).toEqual(first);
  }
});

test('a read of a kept span takes no hour, and no raw event', async () => {
  const series = new OneSeries('UNIQUE_COUNT');
  series.flush([{ ms: 5, quantity: 1, user: 'a' }]);
  await series.fold(0);
  const window = [span(1, hourMs)];
  expect(await series.read(window)).toEqual(['1 of 1']);
  const reads = series.table.rawReads;
  series.storage.hours = () => Promise.reject(new Error('An hour was read'));
  series.storage.hourTotals = () => Promise.reject(new Error('Hours were read'));
  series.flush([{ ms: 2 * minute, quantity: 1, user: 'b' }]);
  expect(await series.read(window)).toEqual(['2 of 2']);
  expect(series.table.rawReads).toBe(reads);
});
