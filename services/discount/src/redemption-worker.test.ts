import { nextCheckAt } from './redemption-worker';

const now = new Date('2026-02-01T00:00:00Z');
const minutes = (count: number) => count * 60_000;

test.each([
  [0, 5],
  [1, 10],
  [2, 20],
  [3, 40],
  [4, 60],
  [2_000, 60],
])('after %d checks the next one waits %d minutes', (timesAsked, waited) => {
  const again = nextCheckAt(now, timesAsked, minutes(5));
  expect(again.getTime() - now.getTime()).toBe(minutes(waited));
});
