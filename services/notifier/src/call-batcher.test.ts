import { CallBatcher, type CallBatcherLimits } from './call-batcher';

function recorded(limits: CallBatcherLimits = {}) {
  const batches: number[][] = [];
  const batcher = new CallBatcher(async (items: readonly number[]) => {
    batches.push([...items]);
    await Promise.resolve();
    if (items.includes(0)) throw new Error('zero');
    return items.map((item) => item * 2);
  }, limits);
  return { batches, batcher };
}

describe('a batcher', () => {
  test('runs concurrent items together, and items that arrive during a run in the next batch', async () => {
    const { batches, batcher } = recorded();
    const first = [batcher.add(1), batcher.add(2)];
    await Promise.resolve();
    const second = [batcher.add(3), batcher.add(4)];

    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('limits the size of its batches', async () => {
    const { batches, batcher } = recorded({ batchMax: 2 });
    await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));

    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('waits for more items where it is configured to, until a batch is full', async () => {
    const { promise: gathered, resolve: end } = Promise.withResolvers<undefined>();
    const delay = (full: AbortSignal) =>
      new Promise<void>((resolve) => {
        full.addEventListener('abort', () => {
          resolve();
        });
        void gathered.then(resolve);
      });
    const { batches, batcher } = recorded({ batchMax: 2, delay });
    const first = batcher.add(1);
    await Promise.resolve();
    expect(batches).toEqual([]);
    await Promise.all([first, batcher.add(2)]);
    const last = batcher.add(3);
    end(undefined);
    await last;

    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('rejects only the items of the failed batch, and continues', async () => {
    const { batcher } = recorded({ batchMax: 2 });
    const results = await Promise.allSettled([1, 0, 2].map((item) => batcher.add(item)));

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(batcher.add(4)).resolves.toBe(8);
  });
});
