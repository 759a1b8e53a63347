import { checkRefused, countAttempt, withdrawAttempt } from './refused-attempts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const minute = (count: number) => new Date(start + count * 60_000);
const refusedFor = (count: number) => Array.from({ length: count }, (_, index) => minute(index));

test('another payment is allowed after nine refusals within an hour, and refused after ten', () => {
  expect(() => {
    checkRefused(refusedFor(9), minute(10));
  }).not.toThrow();
  expect(() => {
    checkRefused(refusedFor(10), minute(10));
  }).toThrow(
    expect.objectContaining({ kind: 'resource_exhausted', retryAfterSeconds: 3000 }) as Error,
  );
});

test('another payment is allowed an hour after the first of ten refusals', () => {
  const refused = refusedFor(10);
  expect(() => {
    checkRefused(refused, minute(59));
  }).toThrow();
  expect(() => {
    checkRefused(refused, minute(60));
  }).not.toThrow();
});

test('attempts at one time are counted separately, and each is withdrawn alone', () => {
  const first = countAttempt([], minute(1));
  const second = countAttempt(first.refusedAt, minute(1));
  expect(second.refusedAt).toHaveLength(2);
  expect(withdrawAttempt(second.refusedAt, second.at)).toEqual(first.refusedAt);
});

test('an attempt that is counted and withdrawn leaves ten refusals as they were', () => {
  const refused = refusedFor(10);
  const { refusedAt, at } = countAttempt(refused, minute(10));
  expect(withdrawAttempt(refusedAt, at)).toEqual(refused);
});

test('attempts of more than an hour ago are dropped', () => {
  expect(countAttempt(refusedFor(3), minute(61)).refusedAt).toEqual([minute(2), minute(61)]);
});
