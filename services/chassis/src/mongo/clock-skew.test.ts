import { createLogger } from '../telemetry/logging';
import { ClockSkew } from './clock-skew';

const at = new Date('2026-03-01T10:00:00Z').getTime();

/** A process whose clock is ahead by some seconds, and a database that takes some to answer. */
async function measured({ aheadSeconds = 0, roundTripSeconds = 0 }) {
  const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
  const warn = jest.spyOn(logger, 'warn');
  let passedMs = 0;
  const skew = new ClockSkew({
    clock: { now: () => new Date(at + passedMs + aheadSeconds * 1_000) },
    nowMs: () => passedMs,
    databaseTime: async () => {
      passedMs += roundTripSeconds * 500;
      const time = new Date(at + passedMs);
      passedMs += roundTripSeconds * 500;
      return time;
    },
    logger,
  });
  expect(skew.seconds).toBeUndefined();
  await skew.measure();
  return { seconds: skew.seconds, warnings: warn.mock.calls.map(([facts]) => facts) };
}

test.each([
  ['equal', 0],
  ['30 seconds ahead', 30],
  ['30 seconds behind', -30],
])('a clock that is %s causes no warning', async (_case, aheadSeconds) => {
  expect(await measured({ aheadSeconds })).toEqual({ seconds: aheadSeconds, warnings: [] });
});

test.each([
  ['ahead', 30.001],
  ['behind', -90],
])('a clock that is more than 30 seconds %s causes a warning', async (_case, aheadSeconds) => {
  expect(await measured({ aheadSeconds })).toEqual({
    seconds: aheadSeconds,
    warnings: [{ skewSeconds: aheadSeconds }],
  });
});

test('the time that the answer takes is no difference', async () => {
  expect(await measured({ aheadSeconds: 10, roundTripSeconds: 60 })).toEqual({
    seconds: 10,
    warnings: [],
  });
});
