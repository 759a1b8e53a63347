import { LargeReads } from './run-large-read';

const large = { environmentId: 'e', values: 100_001 };

/** A read that lasts until it is released. */
function aRead() {
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isStarted = false;
  return {
    run: async () => {
      isStarted = true;
      await isReleased;
    },
    release: () => {
      release();
    },
    isStarted: () => isStarted,
  };
}

test('four large reads of an environment run at the same time, and the next one waits', async () => {
  const reads = new LargeReads();
  const all = Array.from({ length: 5 }, aRead);
  const running = all.map(({ run }) => reads.run(large, run));
  const [other, small] = [aRead(), aRead()];
  running.push(reads.run({ ...large, environmentId: 'other' }, other.run));
  running.push(reads.run({ ...large, values: 100_000 }, small.run));
  await Promise.resolve();
  expect(all.map((one) => one.isStarted())).toEqual([true, true, true, true, false]);
  expect([other.isStarted(), small.isStarted()]).toEqual([true, true]);
  all[0]?.release();
  await running[0];
  expect(all[4]?.isStarted()).toBe(true);
  for (const one of [...all, other, small]) one.release();
  await Promise.all(running);
});

test('a read whose caller stops waiting leaves the queue', async () => {
  const reads = new LargeReads();
  const all = Array.from({ length: 4 }, aRead);
  const running = all.map(({ run }) => reads.run(large, run));
  const waiting = aRead();
  const caller = new AbortController();
  const abandoned = reads.run(large, waiting.run, caller.signal);
  caller.abort(new Error('Deadline'));
  await expect(abandoned).rejects.toThrow('Deadline');
  for (const one of all) one.release();
  await Promise.all(running);
  expect(waiting.isStarted()).toBe(false);
});
