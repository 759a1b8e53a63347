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
  test('runs together what comes together, and then what came meanwhile', async () => {
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

  test('bounds its groups', async () => {
    const { groups, grouping } = recorded(2);
    await Promise.all([1, 2, 3, 4, 5].map((item) => grouping.add(item)));

    expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('gives an error to its own group alone, and goes on', async () => {
    const { grouping } = recorded(2);
    const results = await Promise.allSettled([1, 0, 2].map((item) => grouping.add(item)));

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await expect(grouping.add(4)).resolves.toBe(8);
  });
});
