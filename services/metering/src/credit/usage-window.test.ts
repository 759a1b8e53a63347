import fc from 'fast-check';
import { allSpans, unclaimedSpans, type UsageWindow } from './usage-window';

const hour = (count: number) => new Date(count * 3_600_000);
const span = (from: number, until: number) => ({ start: hour(from), end: hour(until) });

const anySpan = fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 10 }));

test('the unclaimed spans of a window are those that no claimed span contains', () => {
  fc.assert(
    fc.property(fc.array(anySpan, { maxLength: 12 }), (claims) => {
      const taken = claims.map(([from, hours]) => span(from, from + hours));
      const window: UsageWindow = { ...span(3, 33), taken };
      const unclaimed = allSpans(window).filter(
        ({ start }) => !taken.some((one) => one.start <= start && start < one.end),
      );
      expect(unclaimedSpans(window)).toEqual(unclaimed);
    }),
    { numRuns: 1000 },
  );
});

test('each claimed span is read a few times only', () => {
  let reads = 0;
  const count = 300;
  const taken = Array.from({ length: count }, (_, index) => ({
    start: hour(2 * index),
    get end() {
      reads += 1;
      return hour(2 * index + 1);
    },
  }));
  expect(unclaimedSpans({ ...span(0, 2 * count), taken })).toHaveLength(count);
  expect(reads).toBeLessThanOrEqual(5 * count);
});
