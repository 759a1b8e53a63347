import { relayRetryMs, retryJitter } from '../outbox/relay';
import { messageRetryMs } from '../stream/message-retries';
import { storageFull } from '../mongo/storage-guard';
import { watchEveryMs } from './watch-storage';

// Work resumes within 30 s after a full disk has space again. Each pause ends within a part of it,
// so that the work itself has time: first the service notices the space, then it retries.
const resumedWithinMs = 30_000;
const failures = Array.from({ length: 1_000 }, (_, index) => index + 1);
const longest = (pauseMs: (failures: number) => number) => Math.max(...failures.map(pauseMs));

test('a service notices space within a tenth of the time', () => {
  expect(watchEveryMs).toBeLessThanOrEqual(resumedWithinMs / 10);
});

test.each<[string, (failures: number) => number]>([
  ['commands and events of an outbox', (count) => relayRetryMs(count) * (1 + retryJitter)],
  ['messages', (count) => messageRetryMs(count - 1, storageFull())],
])('%s are retried within half of the time, after any number of failures', (_name, pauseMs) => {
  expect(longest(pauseMs) + watchEveryMs).toBeLessThanOrEqual(resumedWithinMs / 2);
});

test('pauses grow with the failures', () => {
  expect([1, 2, 3, 8, 100].map(relayRetryMs)).toEqual([100, 200, 400, 10_000, 10_000]);
  expect([0, 1, 2, 3, 9].map((count) => messageRetryMs(count, new Error('lost')))).toEqual([
    1_000, 5_000, 30_000, 60_000, 60_000,
  ]);
  expect([0, 1, 2, 9].map((count) => messageRetryMs(count, storageFull()))).toEqual([
    1_000, 5_000, 10_000, 10_000,
  ]);
});
