import { Grouping } from './grouping';

function recorded(groupMax?: number) {
  const groups: number[][] = [];
  const grouping = new Grouping(async (items: readonly number[]) => {
    groups.push([...items]);
    await Promise.resolve();
    if (items.includes(0)) throw new Error('zero');
    return items.map((item) => item * 2);
  }, groupMax);
  return { groups, grouping };
}

describe('grouping', () => {
  test('runs a lone item at once, and what comes meanwhile together', async () => {
    const { groups, grouping } = recorded();
    const results = await Promise.all([1, 2, 3].map((item) => grouping.add(item)));

    expect(results).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  test('bounds its groups', async () => {
    const { groups, grouping } = recorded(2);
    await Promise.all([1, 2, 3, 4].map((item) => grouping.add(item)));

    expect(groups).toEqual([[1], [2, 3], [4]]);
  });

  test('gives an error to its own group alone, and goes on', async () => {
    const { grouping } = recorded();
    const results = await Promise.allSettled([1, 0, 2].map((item) => grouping.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);

    await expect(grouping.add(4)).resolves.toBe(8);
  });
});
