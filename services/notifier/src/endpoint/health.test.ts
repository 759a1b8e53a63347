import { hasFailedTooLong } from './health';

const march = (day: number, hour = 0) => new Date(Date.UTC(2026, 2, day, hour));

describe('an endpoint that fails', () => {
  test('has failed for too long after five days', () => {
    expect(hasFailedTooLong(march(1), { now: march(5, 23) })).toBe(false);
    expect(hasFailedTooLong(march(1), { now: march(6) })).toBe(true);
  });

  test('gets five more days from its reactivation or change', () => {
    const countFrom = march(3);
    expect(hasFailedTooLong(march(1), { now: march(7, 23), countFrom })).toBe(false);
    expect(hasFailedTooLong(march(1), { now: march(8), countFrom })).toBe(true);
    expect(hasFailedTooLong(march(4), { now: march(8, 23), countFrom })).toBe(false);
  });
});
