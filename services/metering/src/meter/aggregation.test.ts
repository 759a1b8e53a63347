import fc from 'fast-check';
import { Decimal } from '@billing/kernel/decimal';
import {
  type Aggregation,
  type MeasuredEvent,
  mergedTotal,
  nothing,
  numberIn,
  quantityOf,
  totalOf,
} from './aggregation';

const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

const anyEvents: fc.Arbitrary<MeasuredEvent[]> = fc
  .array(
    fc.record({
      // A small range of instants and arrivals, so that ties are common.
      at: fc.nat({ max: 5 }).map((hour) => new Date(hour * 3_600_000)),
      arrival: fc.nat({ max: 3 }),
      quantity: fc
        .tuple(fc.bigInt({ min: -1000n, max: 1000n }), fc.nat({ max: 12 }))
        .map(([digits, scale]) => Decimal.of(digits, scale).toString()),
      uniqueValue: fc.option(fc.constantFrom('a', 'b', 'c', '1', '1.0')),
    }),
    { maxLength: 20 },
  )
  .map((events) => events.map((event, index) => ({ ...event, id: `e${String(index)}` })));

test.each(aggregations)(
  '%s gives the same total for any order and any partition of the events',
  (aggregation) => {
    fc.assert(
      fc.property(
        anyEvents,
        fc.array(fc.nat({ max: 4 }), { minLength: 20, maxLength: 20 }),
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
        (events, parts, keys) => {
          const whole = quantityOf(aggregation, totalOf(aggregation, events)).toString();
          const shuffled = events
            .map((event, index) => ({ event, key: keys[index] ?? 0, part: parts[index] ?? 0 }))
            .toSorted((a, b) => a.key - b.key);
          const totals = [0, 1, 2, 3, 4].map((part) =>
            totalOf(
              aggregation,
              shuffled.filter((one) => one.part === part).map(({ event }) => event),
            ),
          );
          const merged = mergedTotal(aggregation, totals);
          expect(quantityOf(aggregation, merged).toString()).toBe(whole);
        },
      ),
      { numRuns: 1000 },
    );
  },
);

test.each(aggregations)('%s over no events is 0', (aggregation) => {
  expect(quantityOf(aggregation, nothing).toString()).toBe('0');
});

test('a quantity that is not a number counts as no quantity', () => {
  expect(numberIn('hello')).toBeUndefined();
  expect(numberIn(null)).toBeUndefined();
  expect(numberIn('-0.5')?.toString()).toBe('-0.5');
});
