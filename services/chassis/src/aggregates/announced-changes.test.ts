import { testTenant } from '../testing/testing';
import type { Stored } from './aggregate';
import { announceChanges } from './announced-changes';

interface Parcel {
  readonly id: string;
  readonly weight: number;
  readonly counted: number;
  readonly hidden?: boolean;
}

const at = new Date('2026-01-01T00:00:00.000Z');
const tenant = testTenant();

function parcel(state: Partial<Parcel>, version = 1): Stored<Parcel> {
  const shown = { id: 'p', weight: 1, counted: 0, ...state };
  const updatedAt = new Date(at.getTime() + version);
  return { state: shown, tenant, version, createdAt: at, updatedAt };
}

const announce = announceChanges<Parcel>('parcel', {
  toJson: ({ state: { id, weight, counted }, updatedAt }) => ({ id, weight, counted, updatedAt }),
  without: ['counted'],
});

test('an insert is announced without changes', () => {
  expect(announce([], { before: undefined, after: parcel({}) })).toEqual([
    { type: 'parcel.created', data: { changes: {} } },
  ]);
});

test('a change lists each field that callers see, and takes over what the decision gives', () => {
  const change = { before: parcel({}), after: parcel({ weight: 2, counted: 3 }, 2) };
  const changes = { weight: { from: 1, to: 2 } };
  expect(announce([], change)).toEqual([{ type: 'parcel.updated', data: { changes } }]);
  const given = { type: 'parcel.updated', data: { total: 7 } };
  expect(announce([given], change)).toEqual([{ ...given, data: { total: 7, changes } }]);
});

test('a write that callers do not see announces nothing, whichever events the decision has', () => {
  const given = { type: 'parcel.updated', data: {} };
  for (const state of [{}, { counted: 1 }, { hidden: true }]) {
    expect(announce([given], { before: parcel({}), after: parcel(state, 2) })).toEqual([]);
  }
});
