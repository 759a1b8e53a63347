import { isBeyondHope } from './endpoint-health';

const march = (day: number, hour = 0) => new Date(Date.UTC(2026, 2, day, hour));

describe('an endpoint that fails', () => {
  test('has failed for too long after five days', () => {
    expect(isBeyondHope(march(1), march(5, 23))).toBe(false);
    expect(isBeyondHope(march(1), march(6))).toBe(true);
  });
});
