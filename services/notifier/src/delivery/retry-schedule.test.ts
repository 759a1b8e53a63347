import {
  type FailedAttempt,
  nextAttemptAt,
  readRetryAfter,
  standardRetrySchedule,
} from './retry-schedule';

const now = new Date('2026-03-01T12:00:00.000Z');
const failed: FailedAttempt = {
  now,
  failures: 1,
  retryAfterMs: undefined,
  jitter: 1,
  scheduleMs: standardRetrySchedule,
};

function delayMs(attempt: Partial<FailedAttempt>): number | undefined {
  const next = nextAttemptAt({ ...failed, ...attempt });
  return next === undefined ? undefined : next.getTime() - now.getTime();
}

describe('the retry schedule', () => {
  test.each([
    [1, 5],
    [2, 300],
    [3, 1_800],
    [4, 7_200],
    [5, 18_000],
    [6, 36_000],
    [7, 50_400],
    [8, 72_000],
    [9, 86_400],
  ])('waits after failure %i for %i seconds', (failures, seconds) => {
    expect(delayMs({ failures })).toBe(seconds * 1_000);
  });

  test('ends after the tenth failure', () => {
    expect(delayMs({ failures: 10 })).toBeUndefined();
  });

  test('ends after the tenth failure, even if the receiver asks for a later attempt', () => {
    expect(delayMs({ failures: 10, retryAfterMs: 1_000 })).toBeUndefined();
  });

  test('spreads a step by a fifth to either side', () => {
    expect(delayMs({ jitter: 0.8 })).toBe(4_000);
    expect(delayMs({ jitter: 1.2 })).toBe(6_000);
  });
});

describe('a Retry-After header', () => {
  test.each([
    ['less than the step', 2_000, 5_000],
    ['more than the step', 8_000, 8_000],
    ['twice the step', 10_000, 10_000],
    ['more than twice the step', 60_000, 10_000],
  ])('of %s waits %i ms as asked, %i ms in the end', (_name, retryAfterMs, expected) => {
    expect(delayMs({ retryAfterMs })).toBe(expected);
  });

  test.each([
    ['whole seconds', '120', 120_000],
    ['blanks around them', ' 7 ', 7_000],
    ['an HTTP date', 'Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
    ['a date that is over', 'Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['a negative number', '-5', undefined],
    ['a fraction', '1.5', undefined],
    ['words', 'soon', undefined],
    ['words that look like a day', 'Moments, later', undefined],
    ['nothing', '', undefined],
    ['no header', undefined, undefined],
  ])('is read from %s', (_name, header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
