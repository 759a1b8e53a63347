import fc from 'fast-check';
import { valueTicks } from './value-ticks';

test.each([
  [0, 0, [0, 1]],
  [0, 3, [0, 1, 2, 3]],
  [0, 100, [0, 50, 100]],
  [-20, 40, [-20, 0, 20, 40]],
  [0, 295_734, [0, 100_000, 200_000, 300_000]],
])('values from %i to %i have the axis %j', (lowest, highest, ticks) => {
  expect(valueTicks(lowest, highest)).toEqual(ticks);
});

test('an axis has few ticks, spans all values, and contains zero', () => {
  const value = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [lowest, highest] = [Math.min(one, other), Math.max(one, other)];
      const ticks = valueTicks(lowest, highest);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(8);
      expect(ticks[0]).toBeLessThanOrEqual(lowest);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
      expect(ticks).toContain(0);
    }),
  );
});
