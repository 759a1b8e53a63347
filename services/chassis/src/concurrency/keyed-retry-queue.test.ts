import { eventually } from '../testing/testing';
import { KeyedRetryQueue } from './keyed-retry-queue';

function keyedWork(options: { runningMax?: number; waitingMax?: number } = {}) {
  const failed: string[] = [];
  const work = new KeyedRetryQueue({
    runningMax: options.runningMax ?? 2,
    waitingMax: options.waitingMax ?? 100,
    retryDelayMs: () => 1,
    onFailure: ({ key, failures }) => failed.push(`${key}${String(failures)}`),
  });
  return { work, failed };
}

/** Work that ends when the test says so. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a keyed retry queue', () => {
  test('bounds the work that runs concurrently, and runs it in the order of arrival', async () => {
    const { work } = keyedWork();
    const started: string[] = [];
    const gates = ['a', 'b', 'c', 'd'].map((key) => {
      const one = gate();
      work.submit(key, () => {
        started.push(key);
        return one.passed;
      });
      return one;
    });
    await settle();
    expect(started).toEqual(['a', 'b']);
    gates[1]?.open();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const { open } of gates) open();
    await settle();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  test('runs one job per key, and one more for everything submitted while it ran', async () => {
    const { work } = keyedWork();
    const first = gate();
    let runs = 0;
    let atOnce = 0;
    let atOnceMax = 0;
    const count = async () => {
      runs += 1;
      atOnce += 1;
      atOnceMax = Math.max(atOnceMax, atOnce);
      if (runs === 1) await first.passed;
      atOnce -= 1;
    };
    for (let time = 1; time <= 5; time += 1) work.submit('a', count);
    first.open();
    await settle();
    expect([runs, atOnceMax]).toEqual([2, 1]);
  });

  test('retries failed work until it succeeds', async () => {
    const { work, failed } = keyedWork();
    let runs = 0;
    work.submit('a', () => {
      runs += 1;
      return runs < 3 ? Promise.reject(new Error('Not yet')) : Promise.resolve();
    });
    await eventually(() => {
      expect(runs).toBe(3);
    });
    expect(failed).toEqual(['a1', 'a2']);
  });

  test('accepts no more work when it is full', async () => {
    const { work } = keyedWork({ runningMax: 1, waitingMax: 2 });
    const first = gate();
    const started: string[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      work.submit(key, () => {
        started.push(key);
        return first.passed;
      });
    }
    expect(work.isFull).toBe(true);
    first.open();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  test('finishes running work when it stops, and starts no more', async () => {
    const { work } = keyedWork({ runningMax: 1 });
    const first = gate();
    const ended: string[] = [];
    for (const key of ['a', 'b']) {
      work.submit(key, async () => {
        await first.passed;
        ended.push(key);
      });
    }
    const stopped = work.stop();
    first.open();
    await stopped;
    expect(ended).toEqual(['a']);
  });
});
