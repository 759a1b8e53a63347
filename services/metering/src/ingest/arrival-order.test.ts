import fc from 'fast-check';
import { ArrivalOrder } from './arrival-order';

test('two events never get the same position, even if the clock steps back', () => {
  const batch = fc.record({ ms: fc.nat({ max: 5 }), count: fc.integer({ min: 1, max: 1000 }) });
  fc.assert(
    fc.property(fc.array(batch), (batches) => {
      const order = new ArrivalOrder();
      let end = 0;
      for (const { ms, count } of batches) {
        const first = order.reserve(new Date(ms), count);
        expect(first).toBeGreaterThanOrEqual(end);
        end = first + count;
      }
    }),
  );
});

test('an event of a later millisecond gets a later position', () => {
  const order = new ArrivalOrder();
  expect(order.reserve(new Date(1_000), 50)).toBe(1_000_000);
  expect(order.reserve(new Date(1_000), 50)).toBe(1_000_050);
  expect(order.reserve(new Date(1_001), 50)).toBe(1_001_000);
});
