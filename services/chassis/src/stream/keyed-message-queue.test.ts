import { KeyedMessageQueue } from './keyed-message-queue';

/** Work that ends when the test says so. */
function lanesByHand(concurrency: number) {
  const started: string[] = [];
  const running = new Map<string, (retryAfterMs?: number) => void>();
  const lanes = new KeyedMessageQueue<string>(concurrency, (name) => {
    started.push(name);
    return new Promise((resolve) => {
      running.set(name, resolve);
    });
  });
  const finish = async (name: string, retryAfterMs?: number) => {
    running.get(name)!(retryAfterMs);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { lanes, started, finish };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a keyed message queue', () => {
  test('handles items of one key one at a time, in the order of arrival', async () => {
    const { lanes, started, finish } = lanesByHand(10);
    for (const name of ['a1', 'a2', 'a3']) lanes.add('a', name);

    expect(started).toEqual(['a1']);
    await finish('a1');
    expect(started).toEqual(['a1', 'a2']);
    await finish('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  test('handles items of other keys concurrently, up to the limit', async () => {
    const { lanes, started, finish } = lanesByHand(2);
    for (const key of ['a', 'b', 'c']) lanes.add(key, key);

    expect(started).toEqual(['a', 'b']);
    await finish('b');
    expect(started).toEqual(['a', 'b', 'c']);
  });

  test('alternates between keys', async () => {
    const { lanes, started, finish } = lanesByHand(1);
    for (const name of ['a1', 'a2', 'a3']) lanes.add('a', name);
    lanes.add('b', 'b1');

    await finish('a1');
    await finish('b1');
    await finish('a2');
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('accepts an item while an earlier one of its key is being handled', async () => {
    const { lanes, started, finish } = lanesByHand(2);
    lanes.add('a', 'a1');
    lanes.add('a', 'a2');
    await finish('a1');
    lanes.add('a', 'a3');

    expect(started).toEqual(['a1', 'a2']);
    await finish('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  test('retries a failed item after a pause, before later items of its key', async () => {
    const { lanes, started, finish } = lanesByHand(1);
    for (const name of ['a1', 'a2']) lanes.add('a', name);
    await finish('a1', 1_000);
    lanes.add('a', 'a3');
    jest.advanceTimersByTime(999);
    expect(started).toEqual(['a1']);

    jest.advanceTimersByTime(1);
    expect(started).toEqual(['a1', 'a1']);
    await finish('a1');
    expect(started).toEqual(['a1', 'a1', 'a2']);
  });

  test('handles items of other keys during a pause', async () => {
    const { lanes, started, finish } = lanesByHand(1);
    lanes.add('a', 'a1');
    lanes.add('b', 'b1');
    await finish('a1', 1_000);

    expect(started).toEqual(['a1', 'b1']);
  });

  test('handles paused items immediately when pauses are ended, and only once', async () => {
    const { lanes, started, finish } = lanesByHand(2);
    lanes.add('a', 'a1');
    lanes.add('b', 'b1');
    await finish('a1', 1_000);
    lanes.endPauses();

    expect(started).toEqual(['a1', 'b1', 'a1']);
    jest.advanceTimersByTime(2_000);
    expect(started).toEqual(['a1', 'b1', 'a1']);
  });

  test('is idle once nothing waits or runs', async () => {
    const { lanes, finish } = lanesByHand(1);
    await lanes.idle();
    lanes.add('a', 'a1');
    lanes.add('b', 'b1');
    let isIdle = false;
    const idle = lanes.idle().then(() => {
      isIdle = true;
    });

    await finish('a1', 1_000);
    await finish('b1');
    expect(isIdle).toBe(false);
    lanes.endPauses();
    await finish('a1');
    await idle;
    expect(isIdle).toBe(true);
  });
});
