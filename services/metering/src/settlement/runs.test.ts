import { SettlementRuns } from './runs';

const hour = 3_600_000;
const patient = () => new AbortController().signal;

/** A run that the test completes. */
function aRun() {
  let end: (result: string) => void = () => undefined;
  let count = 0;
  const signals: AbortSignal[] = [];
  const run = (signal: AbortSignal) => {
    count += 1;
    signals.push(signal);
    return new Promise<string>((resolve) => {
      end = resolve;
    });
  };
  return {
    run,
    count: () => count,
    isAborted: () => signals.map(({ aborted }) => aborted),
    end: (result: string) => {
      end(result);
    },
  };
}

test('a retry joins the run in flight, even if the first caller is gone', async () => {
  const runs = new SettlementRuns<string>({ runMsMax: hour, nowMs: () => performance.now() });
  const work = aRun();
  const caller = new AbortController();
  const first = runs.join('a', caller.signal, work.run);
  caller.abort(new Error('Too late'));
  await expect(first).rejects.toThrow('Too late');
  expect(work.isAborted()).toEqual([false]);

  const second = runs.join('a', patient(), work.run);
  work.end('settled');
  expect(await second).toBe('settled');
  expect(work.count()).toBe(1);
});

test('a completed run is started again by the next call, and runs of other keys are independent', async () => {
  const runs = new SettlementRuns<string>({ runMsMax: hour, nowMs: () => performance.now() });
  const failing = () => Promise.reject(new Error('Down'));
  await expect(runs.join('a', patient(), failing)).rejects.toThrow('Down');
  const done = (result: string) => () => Promise.resolve(result);
  expect(await runs.join('a', patient(), done('1'))).toBe('1');
  expect(
    await Promise.all([runs.join('a', patient(), done('2')), runs.join('b', patient(), done('3'))]),
  ).toEqual(['2', '3']);
});

test('a stop aborts all runs and waits for them', async () => {
  const runs = new SettlementRuns<string>({ runMsMax: hour, nowMs: () => performance.now() });
  const work = aRun();
  const joined = runs.join('a', patient(), work.run);
  const stopped = runs.stop();
  expect(work.isAborted()).toEqual([true]);
  work.end('in time');
  await stopped;
  expect(await joined).toBe('in time');
});

test('the reported age is that of the oldest run, and 0 without a run', async () => {
  let nowMs = 1_000;
  const runs = new SettlementRuns<string>({ runMsMax: hour, nowMs: () => nowMs });
  const ends: ((result: string) => void)[] = [];
  const begin = (name: string) =>
    runs.join(name, new AbortController().signal, () => new Promise((end) => ends.push(end)));
  expect(runs.longestMs()).toBe(0);
  const first = begin('first');
  nowMs = 4_000;
  const second = begin('second');
  nowMs = 5_000;
  expect(runs.longestMs()).toBe(4_000);
  ends[0]?.('done');
  await first;
  expect(runs.longestMs()).toBe(1_000);
  ends[1]?.('done');
  await second;
  expect(runs.longestMs()).toBe(0);
});
