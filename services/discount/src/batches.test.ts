import { Batches } from './batches';

/** Runs that end when the test says so. */
function heldRuns() {
  const batches = new Batches<number, string>();
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

test('what comes while a batch runs makes up the next one together, each with its own result', async () => {
  const { runs, add } = heldRuns();
  const first = add('key', 1);
  const others = [add('key', 2), add('key', 3)];
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  runs[0]?.end();
  expect(await first).toBe('result of 1');
  expect(runs[1]?.items).toEqual([2, 3]);
  runs[1]?.end();
  expect(await Promise.all(others)).toEqual(['result of 2', 'result of 3']);
});

test('keys do not wait for each other', () => {
  const { runs, add } = heldRuns();
  void add('one', 1);
  void add('other', 2);
  expect(runs.map(({ items }) => items)).toEqual([[1], [2]]);
});

test('a batch that fails fails for all of it, and the next one runs', async () => {
  const { runs, add } = heldRuns();
  const first = add('key', 1);
  const second = add('key', 2);
  runs[0]?.fail();
  await expect(first).rejects.toThrow('failed');
  runs[1]?.end();
  expect(await second).toBe('result of 2');
});
