import { KeyedBatcher } from './keyed-batcher';

/** Batches that the test completes. */
function pendingRuns() {
  const batches = new KeyedBatcher<number, string>();
  const runs: { items: readonly number[]; end: () => void; fail: () => void }[] = [];
  const add = (key: string, item: number) =>
    batches.add(
      key,
      item,
      (items) =>
        new Promise((resolve, reject) => {
          const end = () => {
            resolve(items.map((one) => `result of ${String(one)}`));
          };
          const fail = () => {
            reject(new Error('failed'));
          };
          runs.push({ items, end, fail });
        }),
    );
  return { runs, add };
}

test('items that arrive while a batch runs form the next batch, and each gets its own result', async () => {
  const { runs, add } = pendingRuns();
  const first = add('key', 1);
  const others = [add('key', 2), add('key', 3)];
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  runs[0]?.end();
  expect(await first).toBe('result of 1');
  expect(runs[1]?.items).toEqual([2, 3]);
  runs[1]?.end();
  expect(await Promise.all(others)).toEqual(['result of 2', 'result of 3']);
});

test('batches of different keys run concurrently', () => {
  const { runs, add } = pendingRuns();
  void add('one', 1);
  void add('other', 2);
  expect(runs.map(({ items }) => items)).toEqual([[1], [2]]);
});

test('a failed batch rejects all its items, and the next batch runs', async () => {
  const { runs, add } = pendingRuns();
  const first = add('key', 1);
  const second = add('key', 2);
  runs[0]?.fail();
  await expect(first).rejects.toThrow('failed');
  runs[1]?.end();
  expect(await second).toBe('result of 2');
});
