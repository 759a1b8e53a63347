import { Grouping, type GroupingLimits } from './grouping';

function recorded(limits: GroupingLimits = {}) {
  const groups: number[][] = [];
  const grouping = new Grouping(async (items: readonly number[]) => {
    groups.push([...items]);
    await Promise.resolve();
    if (items.includes(0)) throw new Error('zero');
    return items.map((item) => item * 2);
  }, limits);
  return { groups, grouping };
}

describe('a batcher', () => {
  test('runs concurrent items together, and items that arrive during a run in the next batch', async () => {
    const { groups, grouping } = recorded();
    const first = [grouping.add(1), grouping.add(2)];
    await Promise.resolve();
    const second = [grouping.add(3), grouping.add(4)];

    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('limits the size of its batches', async () => {
    const { groups, grouping } = recorded({ groupMax: 2 });
    await Promise.all([1, 2, 3, 4, 5].map((item) => grouping.add(item)));

    expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('waits for more items where it is configured to, until a batch is full', async () => {
    const { promise: gathered, resolve: end } = Promise.withResolvers<undefined>();
    const gather = (full: AbortSignal) =>
      new Promise<void>((resolve) => {
        full.addEventListener('abort', () => {
          resolve();
        });
        void gathered.then(resolve);
      });
    const { groups, grouping } = recorded({ groupMax: 2, gather });
    const first = grouping.add(1);
    await Promise.resolve();
    expect(groups).toEqual([]);
    await Promise.all([first, grouping.add(2)]);
    const last = grouping.add(3);
    end(undefined);
    await last;

    expect(groups).toEqual([[1, 2], [3]]);
  });

  test('rejects only the items of the failed batch, and continues', async () => {
    const { grouping } = recorded({ groupMax: 2 });
    const results = await Promise.allSettled([1, 0, 2].map((item) => grouping.add(item)));

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(grouping.add(4)).resolves.toBe(8);
  });
});
