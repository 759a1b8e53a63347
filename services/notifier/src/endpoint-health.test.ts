import { failingSince, isBeyondHope } from './endpoint-health';

const march = (day: number, hour = 0) => new Date(Date.UTC(2026, 2, day, hour));
const none = { succeededAt: undefined, failingSince: undefined };

describe('an endpoint that fails', () => {
  test('fails since its first failure', () => {
    expect(failingSince(none, march(1))).toEqual(march(1));
    expect(failingSince({ ...none, failingSince: march(1) }, march(3))).toEqual(march(1));
    expect(failingSince({ succeededAt: march(1), failingSince: march(2) }, march(3))).toEqual(
      march(2),
    );
  });

  test('fails since now when it has succeeded since its earlier failures', () => {
    expect(failingSince({ succeededAt: march(2), failingSince: march(1) }, march(3))).toEqual(
      march(3),
    );
  });

  test('has failed for too long after five days', () => {
    expect(isBeyondHope(march(1), march(5, 23))).toBe(false);
    expect(isBeyondHope(march(1), march(6))).toBe(true);
  });
});
