import fc from 'fast-check';
import {
  attempt,
  type Attempts,
  deletableBefore,
  perEmail,
  perEmailAndNetwork,
  withdraw,
} from './login-attempts';

const now = new Date('2026-03-01T12:00:00Z');
const limit = { max: 3, withinMs: 1_000 };

function ago(ms: number): Date {
  return new Date(now.getTime() - ms);
}

test('an attempt is recorded', () => {
  expect(attempt([ago(10)], limit, now)).toEqual([ago(10), now]);
});

test.each([
  ['the most that there may be', [ago(1), ago(2)], true],
  ['one more', [ago(1), ago(2), ago(3)], false],
  ['some that are long past', [ago(1_000), ago(2_000), ago(3_000)], true],
  ['one that is only just recent', [ago(1), ago(2), ago(999)], false],
])('after %s', (_case, attempts, isLetIn) => {
  const trying = () => attempt(attempts, limit, now);
  if (isLetIn) expect(trying).not.toThrow();
  else expect(trying).toThrow(expect.objectContaining({ reason: 'TOO_MANY_LOGINS' }));
});

test('attempts in any number and order of time never exceed the limit within its span', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 300 })), (steps) => {
      let at = 0;
      let attempts: Attempts = [];
      const admitted: number[] = [];
      for (const step of steps) {
        at += step;
        try {
          attempts = attempt(attempts, limit, new Date(at));
          admitted.push(at);
        } catch {
          // Refused.
        }
      }
      for (const end of admitted) {
        const within = admitted.filter((one) => one <= end && end - one < limit.withinMs);
        expect(within.length).toBeLessThanOrEqual(limit.max);
      }
    }),
  );
});

test.each([
  ['the oldest of the last three', [ago(900), ago(300), ago(200)], 1],
  ['the one that makes room, when more were written', [ago(900), ago(600), ago(500), ago(1)], 1],
])('a refusal reports the seconds until %s expires', (_case, attempts, seconds) => {
  expect(() => attempt(attempts, limit, now)).toThrow(
    expect.objectContaining({ retryAfterSeconds: seconds }),
  );
});

test('a refusal of a quarter of an hour reports that time', () => {
  const attempts = Array.from({ length: perEmailAndNetwork.max }, () => ago(60_000));
  expect(() => attempt(attempts, perEmailAndNetwork, now)).toThrow(
    expect.objectContaining({ retryAfterSeconds: 14 * 60 }),
  );
});

test('a successful attempt is withdrawn, and no other', () => {
  expect(withdraw([ago(5), now, now], now)).toEqual([ago(5), now]);
  expect(withdraw([ago(5)], now)).toEqual([ago(5)]);
});

test('a deleted record no longer limits any sign-in', () => {
  const full = Array.from({ length: perEmail.max }, () => deletableBefore(now));
  expect(() => attempt(full, perEmail, now)).not.toThrow();
});
