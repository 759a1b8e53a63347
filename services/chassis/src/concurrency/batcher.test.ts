import { Batcher, type Outcome, succeeded } from './batcher';
import { currentTraceId, inSpan, startTracing } from '../telemetry/tracing';

/** Batches that end when the test says so. */
function openBatches({ batchMax = 10, flushesMax = 1, isGrouped = false } = {}) {
  const batches: { items: readonly string[]; end: (error?: Error) => void }[] = [];
  const batcher = new Batcher<string, string>({
    batchMax,
    flushesMax,
    // The key is the letter of the item.
    [isGrouped ? 'groupOf' : 'keyOf']: (item: string) => item.replace(/\d/g, ''),
    flush: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => {
          if (error === undefined) resolve(items.map(outcomeOf));
          else reject(error);
        };
        batches.push({ items, end });
      }),
  });
  return { batcher, batches };
}

function outcomeOf(item: string): Outcome<string> {
  return item.startsWith('bad') ? { error: new Error(item) } : { value: item.toUpperCase() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a batcher', () => {
  test('with a spacing starts no batch before it is over, and then one with everything that waits', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const flushed: (readonly string[])[] = [];
      const batcher = new Batcher<string, string>({
        batchMax: 10,
        flushesMax: 4,
        spacingMs: 20,
        flush: (items) => {
          flushed.push(items);
          return Promise.resolve(succeeded(items));
        },
      });
      await batcher.run('a');
      const later = [batcher.run('b'), batcher.run('c')];
      await turn();
      await jest.advanceTimersByTimeAsync(19);
      expect(flushed).toEqual([['a']]);
      later.push(batcher.run('d'));
      await jest.advanceTimersByTimeAsync(1);
      await Promise.all(later);
      expect(flushed).toEqual([['a'], ['b', 'c', 'd']]);
    } finally {
      jest.useRealTimers();
    }
  });

  test('sends items that arrive together in one batch, and items that arrive during a batch in the next', async () => {
    const { batcher, batches } = openBatches();
    const first = [batcher.run('a'), batcher.run('b')];
    await turn();
    const second = [batcher.run('c'), batcher.run('d')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b']]);
    batches[0]!.end();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await turn();
    expect(batches[1]!.items).toEqual(['c', 'd']);
    batches[1]!.end();
    expect(await Promise.all(second)).toEqual(['C', 'D']);
  });

  test('never has two items of one key in flight', async () => {
    const { batcher, batches } = openBatches({ flushesMax: 2 });
    const all = [batcher.run('a1'), batcher.run('a2'), batcher.run('b')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a1', 'b']]);
    batches[0]!.end();
    await turn();
    expect(batches[1]!.items).toEqual(['a2']);
    batches[1]!.end();
    expect(await Promise.all(all)).toEqual(['A1', 'A2', 'B']);
  });

  test('never mixes items of different groups in one batch', async () => {
    const batches: string[] = [];
    const batcher = new Batcher<string, string>({
      batchMax: 10,
      flushesMax: 1,
      groupOf: (item) => item.charAt(0),
      flush: async (items) => {
        batches.push(items.join(' '));
        return items.map(outcomeOf);
      },
    });
    await Promise.all(['a1', 'b1', 'a2', 'b2', 'c1'].map((item) => batcher.run(item)));
    expect(batches).toEqual(['a1 a2', 'b1 b2', 'c1']);
  });

  test("does not hold up a group because of another group's batches", async () => {
    const { batcher, batches } = openBatches({ isGrouped: true });
    const hanging = batcher.run('a1');
    await turn();
    const later = [batcher.run('a2'), batcher.run('a3'), batcher.run('b1')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a1'], ['b1']]);
    batches[1]!.end();
    expect(await later[2]).toBe('B1');
    batches[0]!.end();
    expect(await hanging).toBe('A1');
    await turn();
    expect(batches[2]!.items).toEqual(['a2', 'a3']);
    batches[2]!.end();
    expect(await Promise.all(later)).toEqual(['A2', 'A3', 'B1']);
  });

  test('bounds the size and number of batches, and loses no item', async () => {
    const { batcher, batches } = openBatches({ batchMax: 2, flushesMax: 2 });
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => batcher.run(item));
    await turn();
    expect(batches.map(({ items }) => items.join(''))).toEqual(['ab', 'cd']);
    for (let index = 0; index < 4; index += 1) {
      batches[index]!.end();
      await turn();
    }
    expect((await Promise.all(all)).join('')).toBe('ABCDEFG');
    expect(batches).toHaveLength(4);
  });

  test('rejects a single failed item alone, and all items of a batch that failed as a whole', async () => {
    const { batcher, batches } = openBatches();
    const single = Promise.allSettled([batcher.run('bad'), batcher.run('b')]);
    await turn();
    batches[0]!.end();
    expect(await single).toMatchObject([{ status: 'rejected' }, { value: 'B' }]);
    const whole = Promise.allSettled([batcher.run('c'), batcher.run('d')]);
    await turn();
    batches[1]!.end(new Error('lost'));
    expect(await whole).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    const after = batcher.run('e');
    await turn();
    batches[2]!.end();
    expect(await after).toBe('E');
  });

  test('bounds a batch by the sizes of its items, in the order of their arrival', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>({
      batchMax: 3,
      flushesMax: 1,
      sizeOf: (item) => item,
      flush: async (items) => {
        batches.push([...items]);
        return succeeded(items);
      },
    });
    await Promise.all([1, 2, 2, 5, 1].map((item) => batcher.run(item)));
    // The larger item is a batch of its own, and no smaller one overtakes it.
    expect(batches).toEqual([[1, 2], [2], [5], [1]]);
  });

  test('delays a batch if configured, until it is full', async () => {
    const { promise: gathered, resolve: end } = Promise.withResolvers<undefined>();
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>({
      batchMax: 2,
      flushesMax: 1,
      delay: (full) =>
        new Promise<void>((resolve) => {
          full.addEventListener('abort', () => {
            resolve();
          });
          void gathered.then(resolve);
        }),
      flush: async (items) => {
        batches.push([...items]);
        return succeeded(items);
      },
    });
    const first = batcher.run(1);
    await turn();
    expect(batches).toEqual([]);
    await Promise.all([first, batcher.run(2)]);
    const last = batcher.run(3);
    await turn();
    expect(batches).toEqual([[1, 2]]);
    end(undefined);
    await last;
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('does not delay items a second time that waited for a batch in flight', async () => {
    const delays: (() => void)[] = [];
    const batches: { items: readonly number[]; end: () => void }[] = [];
    const batcher = new Batcher<number, number>({
      batchMax: 10,
      flushesMax: 1,
      delay: () =>
        new Promise((resolve) => {
          delays.push(resolve);
        }),
      flush: (items) =>
        new Promise((resolve) => {
          batches.push({
            items,
            end: () => {
              resolve(succeeded(items));
            },
          });
        }),
    });
    const first = batcher.run(1);
    delays[0]!();
    await turn();
    const second = batcher.run(2);
    delays[1]!();
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    const third = batcher.run(3);
    batches[0]!.end();
    await first;
    await turn();
    expect(batches[1]!.items).toEqual([2, 3]);
    batches[1]!.end();
    expect(await Promise.all([second, third])).toEqual([2, 3]);
    expect(delays).toHaveLength(2);
  });

  test('runs a batch in the trace of its first item', async () => {
    const tracing = startTracing({ spanProcessors: [] });
    const traces: (string | undefined)[] = [];
    const { promise: opened, resolve: open } = Promise.withResolvers<undefined>();
    const batcher = new Batcher<string, string>({
      batchMax: 10,
      flushesMax: 1,
      flush: async (items) => {
        traces.push(currentTraceId());
        if (traces.length === 1) await opened;
        return succeeded(items);
      },
    });
    const inTrace = (item: string) =>
      inSpan({ name: item, kind: 'internal' }, async () => {
        const traceId = currentTraceId();
        await batcher.run(item);
        return traceId;
      });
    const first = inTrace('a');
    await turn();
    const others = [inTrace('b'), inTrace('c')];
    open(undefined);
    const [a, b, c] = await Promise.all([first, ...others]);
    expect(traces).toEqual([a, b]);
    expect(new Set([a, b, c]).size).toBe(3);
    await tracing.shutdown();
  });
});
