import { packValues, countedValues } from '../distinct/packed-values';
import type { PartMinute } from '../flush/part';
import { bytesOf, flushesOf, type NumberedPart, PartsMergedError, partsIn } from './bucket';
import { entriesIn } from './entries';
import { mergedParts, partWithin } from './merged-parts';

const firstMinute = 29_000_040;
const lateMinutes = 35 * 24 * 60;

function partOf(epoch: number, minutes: readonly number[]): NumberedPart {
  const entries = minutes.map((minute): PartMinute => [firstMinute + minute, 1, '0.5']);
  return { epoch, flush: `f${String(epoch)}`, minutes: entries, values: [] };
}

test('364 parts of 1,000 distinct minutes take less than 24 MiB once they are merged', () => {
  const parts = Array.from({ length: 364 }, (_one, index) =>
    partOf(
      index + 1,
      Array.from({ length: 1_000 }, (_, minute) => (index + minute * 47) % lateMinutes),
    ),
  );
  const merged = mergedParts('SUM', parts, [300]);
  expect(merged.map(({ from, epoch }) => [from, epoch])).toEqual([
    [1, 300],
    [301, 364],
  ]);
  expect(merged.reduce((sum, part) => sum + bytesOf(part), 0)).toBeLessThan(24 * 1024 * 1024);
  const span = {
    start: new Date(firstMinute * 60_000),
    end: new Date((firstMinute + lateMinutes) * 60_000),
  };
  const { total } = entriesIn('SUM', merged, span);
  expect(total).toEqual({ events: 364_000, quantity: '182000', latest: null });
  expect(merged.flatMap(flushesOf)).toEqual(parts.map(({ flush }) => flush));
});

test('merged parts are used whole or not at all', () => {
  const parts = [2, 3, 5, 6].map((epoch) => partOf(epoch, [epoch]));
  const merged = mergedParts('SUM', parts, [4]);
  expect(merged).toHaveLength(2);
  expect(partsIn(merged, { above: 1, upTo: 4 })).toEqual(merged.slice(0, 1));
  expect(partsIn(merged, { above: 3, upTo: Infinity })).toEqual(merged.slice(1));
  expect(() => partsIn(merged, { above: 2, upTo: Infinity })).toThrow(new PartsMergedError(2));
  expect(() => partsIn(merged, { above: 1, upTo: 5 })).toThrow(PartsMergedError);
});

test('merged parts have each distinct value of an hour once', () => {
  const hash = (text: string) => Buffer.from(text.padEnd(16));
  const parts = [1, 2].map((epoch): NumberedPart => {
    const packed = packValues([hash('a'), hash(String(epoch))]);
    return { ...partOf(epoch, [0]), values: [[483_334, packed]] };
  });
  const [merged] = mergedParts('UNIQUE_COUNT', parts, []);
  expect(merged?.values.map(([hour, packed]) => [hour, countedValues(packed)])).toEqual([
    [483_334, 3],
  ]);
});

test('a part keeps the minutes and values of the hours that a read needs', () => {
  const hour = firstMinute / 60;
  const packed = packValues([]);
  const part: NumberedPart = {
    ...partOf(1, [0, 59, 60, 120]),
    values: [
      [hour, packed],
      [hour + 1, packed],
      [hour + 2, packed],
    ],
  };
  const within = partWithin(part, { from: hour + 1, until: hour + 2 });
  expect(within.minutes).toEqual([[firstMinute + 60, 1, '0.5']]);
  expect(within.values).toEqual([[hour + 1, packed]]);
  expect(within.flush).toBe('f1');
});
