import fc from 'fast-check';
import {
  type Aggregation,
  type MeasuredEvent,
  mergedTotal,
  quantityOf,
  totalOf,
} from '../meter/aggregation';
import { slotText, flushText } from './flush-id';
import { countAt, entryBytes } from '../distinct/packed-values';
import { partOf, totalOfMinute } from './part';

const meterId = '0190a000-0000-7000-8000-000000000003';
const k = `env:customer:${meterId}:`;
const flush = { epoch: 5, flush: flushText({ epoch: 5, writer: 2, slot: 1, n: 40 }) };
const start = new Date('2026-03-01T00:00:00Z').getTime();

const anyEvents: fc.Arbitrary<MeasuredEvent[]> = fc
  .array(
    fc.record({ second: fc.nat({ max: 3 * 3600 }), quantity: fc.integer({ min: 0, max: 9 }) }),
    { maxLength: 30 },
  )
  .map((all) =>
    all.map(({ second, quantity }, index) => ({
      id: `e${String(index)}`,
      at: new Date(start + second * 1000),
      arrival: index,
      quantity: String(quantity),
      uniqueValue: quantity === 0 ? null : String(quantity),
    })),
  );

test.each<Aggregation>(['SUM', 'COUNT', 'MAX', 'LATEST'])(
  'the minutes of a part add up to the %s of its events, in any order',
  (aggregation) => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const part = partOf(flush, { k, meterId, aggregation }, events);
        const merged = mergedTotal(aggregation, part.minutes.map(totalOfMinute));
        expect(merged).toEqual(totalOf(aggregation, events));
        expect(partOf(flush, { k, meterId, aggregation }, events.toReversed())).toEqual(part);
      }),
      { numRuns: 1000 },
    );
  },
);

test('a part of UNIQUE_COUNT has each value of an hour once, with its number of events', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const series = { k, meterId, aggregation: 'UNIQUE_COUNT' } as const;
      const { minutes, values = [] } = partOf(flush, series, events);
      expect(minutes.reduce((sum, [, count]) => sum + count, 0)).toBe(events.length);
      for (const [hour, packed] of values) {
        const own = events.filter(({ at }) => Math.floor(at.getTime() / 3_600_000) === hour);
        const distinct = quantityOf('UNIQUE_COUNT', totalOf('UNIQUE_COUNT', own));
        expect(String(packed.length / entryBytes)).toBe(distinct.toString());
        const counts = Array.from({ length: packed.length / entryBytes }, (_, index) =>
          countAt(packed, index * entryBytes),
        );
        const withValue = own.filter(({ uniqueValue }) => uniqueValue !== null);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(withValue.length);
      }
    }),
    { numRuns: 200 },
  );
});

test('flushes and slots sort as their numbers', () => {
  const flushes = [
    { epoch: 9, writer: 900, slot: 3, n: 900 },
    { epoch: 10, writer: 1, slot: 0, n: 9 },
    { epoch: 10, writer: 1, slot: 0, n: 36 },
    { epoch: 10, writer: 35, slot: 2, n: 1 },
    { epoch: 36, writer: 2, slot: 0, n: 1 },
  ];
  const texts = flushes.map(flushText);
  expect(texts.toSorted()).toEqual(texts);
  expect(flushText({ epoch: 36, writer: 37, slot: 3, n: 35 })).toBe('0000010.000011.3.000000z');
  expect(slotText({ writer: 37, slot: 3 })).toBe('000011.3');
  expect(() => slotText({ writer: 1, slot: 36 })).toThrow();
});
