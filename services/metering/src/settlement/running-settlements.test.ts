import { RunningSettlements } from './running-settlements';

test('the age of settlements is that of the oldest one that has not ended, in success or failure', async () => {
  let nowMs = 100;
  const durations: number[] = [];
  const running = new RunningSettlements({
    nowMs: () => nowMs,
    onEnd: ({ durationMs }) => durations.push(durationMs),
  });
  expect(running.longestMs()).toBe(0);
  const ends: (() => void)[] = [];
  const begin = () => running.run(() => new Promise<void>((resolve) => ends.push(resolve)));
  const first = begin();
  nowMs = 130;
  const second = begin();
  await expect(running.run(() => Promise.reject(new Error('Failed')))).rejects.toThrow('Failed');
  nowMs = 150;
  expect(running.longestMs()).toBe(50);
  ends[0]?.();
  await first;
  expect(running.longestMs()).toBe(20);
  ends[1]?.();
  await second;
  expect(running.longestMs()).toBe(0);
  expect(durations).toEqual([0, 50, 20]);
});
