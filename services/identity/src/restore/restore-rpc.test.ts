import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import type { SystemDocument } from '@billing/chassis/system-state';
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
const lastRestore = newestFirst[0] as (typeof newestFirst)[0];
const unopened = {
  ...{ id: newId(), code: 'C29', at: at(29), instant: at(28) },
  report: '{"findings":[]}',
};

function callsOf(recovering?: SystemDocument) {
  return restoreHandlers({
    restores: {
      opened: () => Promise.resolve(newestFirst),
      newest: () => Promise.resolve(lastRestore),
      find: () => Promise.resolve(unopened),
    },
    system: { recovering },
  });
}
const { listRestores } = callsOf();

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

describe('the recovery', () => {
  const document = { _id: 'system', state: 'RECOVERING' } as const;
  const { report: reportJson, ...restore } = unopened;
  const noStep = { step: undefined, reportJson: undefined };

  test.each<[string, SystemDocument | undefined, boolean, object]>([
    [
      'of an open system is its last restore',
      undefined,
      true,
      { recovering: false, restore: lastRestore, ...noStep },
    ],
    [
      'tells the step of the check',
      { ...document, restore, step: 'provider' },
      false,
      { recovering: true, restore, step: 'provider', reportJson: undefined },
    ],
    [
      'has the report of the last check',
      { ...document, restore },
      true,
      { recovering: true, restore, step: undefined, reportJson },
    ],
    [
      'of databases that are not all restored names none',
      document,
      true,
      { recovering: true, restore: undefined, ...noStep },
    ],
  ])('%s', async (_name, recovering, withReport, expected) => {
    const { getRecovery } = callsOf(recovering);
    expect(await getRecovery({ withReport }, testContext())).toEqual(expected);
  });
});
