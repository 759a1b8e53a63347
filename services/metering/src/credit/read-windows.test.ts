import { Decimal } from '@billing/kernel/decimal';
import { noUsage } from '../span/read-usage';
import type { MeasuredSeries, Span } from '../usage/hour';
import { readWindows } from './read-windows';
import type { BurnableWindow } from './usage-window';

const dayMs = 24 * 3_600_000;
const at = (day: number) => new Date(Date.UTC(2026, 2, 1) + day * dayMs);
const series: MeasuredSeries = {
  customerId: 'c',
  meterId: 'm',
  aggregation: 'SUM',
  uniqueProperty: null,
};

/** A window from one day to before another, with a grant that starts on each of some days. */
function aWindow(from: number, until: number, grantDays: readonly number[]): BurnableWindow {
  const grants = grantDays.map((day) => ({
    id: String(day),
    priority: 100,
    source: 'PAID' as const,
    effectiveAt: at(day),
    expiresAt: null,
    createdAt: at(0),
    available: Decimal.of(1n),
  }));
  return { window: { start: at(from), end: at(until), taken: [] }, grants };
}

/** A reader of events on some days. More arrive before each further read. */
function aReader(...eventDays: readonly (readonly number[])[]) {
  const reads: number[][] = [];
  return {
    reads,
    read: (_series: MeasuredSeries, windows: readonly (readonly Span[])[]) => {
      const days = eventDays.slice(0, reads.length + 1).flat();
      reads.push(windows.map(({ length }) => length));
      const isIn = (day: number) => (one: Span) => one.start <= at(day) && at(day) < one.end;
      return Promise.resolve(
        windows.map((spans) => {
          const events = days.filter((day) => spans.some(isIn(day))).length;
          return { ...noUsage, events };
        }),
      );
    },
  };
}

const many = Array.from({ length: 20 }, (_one, index) => index + 1);
const few = many.slice(0, 3);

test('a window with few boundaries of grants is split at once', async () => {
  const reader = aReader([2]);
  await readWindows(reader, series, [aWindow(0, 30, few)]);
  expect(reader.reads).toEqual([[4]]);
});

test('a window with many boundaries is not split if it has no events', async () => {
  const reader = aReader([40]);
  const read = await readWindows(reader, series, [aWindow(0, 30, many)]);
  expect(reader.reads).toEqual([[1]]);
  expect(read[0]?.events).toBe(0);
});

test('a window with many boundaries and events is split, and read with the others again', async () => {
  const reader = aReader([5]);
  const windows = [aWindow(0, 30, many), aWindow(30, 60, [])];
  const read = await readWindows(reader, series, windows, [[{ start: at(0), end: at(30) }]]);
  expect(reader.reads).toEqual([
    [1, 1, 1],
    [21, 1, 1],
  ]);
  expect(read.map(({ events }) => events)).toEqual([1, 0, 1]);
});

test('a window that gets its first event between two reads is split, too', async () => {
  const reader = aReader([5], [32]);
  const later = aWindow(
    30,
    60,
    many.map((day) => 30 + day),
  );
  const read = await readWindows(reader, series, [aWindow(0, 30, many), later]);
  expect(reader.reads).toEqual([
    [1, 1],
    [21, 1],
    [21, 21],
  ]);
  expect(read.map(({ events }) => events)).toEqual([1, 1]);
});
