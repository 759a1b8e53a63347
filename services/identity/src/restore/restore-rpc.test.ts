import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { restoreHandlers } from './restore-rpc';

const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const restoreOn = (day: number) => ({
  id: newId(),
  code: `C${String(day)}`,
  at: at(day),
  instant: at(day - 1),
  openedAt: at(day),
});
const newestFirst = [restoreOn(28), restoreOn(20), restoreOn(3)];
const { listRestores } = restoreHandlers({
  restores: { opened: () => Promise.resolve(newestFirst) },
});

describe('a list of restores', () => {
  test.each([
    ['newest first', { page: 1, perPage: 100 }, ['C28', 'C20', 'C3']],
    ['oldest first', { page: 1, perPage: 100, oldestFirst: true }, ['C3', 'C20', 'C28']],
    ['by pages', { page: 2, perPage: 2 }, ['C3']],
    ['by pages, oldest first', { page: 2, perPage: 1, oldestFirst: true }, ['C20']],
  ])('is read %s', async (_name, request, expected) => {
    const { restores, total } = await listRestores(request, testContext());
    expect(restores.map(({ code }) => code)).toEqual(expected);
    expect(total).toBe(3);
  });

  test('names the time whose usage is missing', async () => {
    const { restores } = await listRestores({ page: 1, perPage: 1 }, testContext());
    expect(restores).toEqual([newestFirst[0]]);
  });
});
