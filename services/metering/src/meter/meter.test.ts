import { DomainError } from '@billing/kernel/domain-error';
import {
  changeMeter,
  createMeter,
  deleteMeter,
  isNamed,
  type MeterInput,
  markInUse,
} from './meter';

const id = '01900000-0000-7000-8000-000000000001';
const fine = { metadataProblems: [] };
const meter = (input: Partial<MeterInput> = {}) =>
  createMeter({ name: 'Calls', ...input }, { id, ...fine });

function refusedFields(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return Object.keys(error.fields ?? {});
    throw error;
  }
  return [];
}

test('a meter defaults to SUM and to active', () => {
  expect(meter()).toEqual({
    id,
    name: 'Calls',
    aggregation: 'SUM',
    uniqueProperty: null,
    unit: null,
    active: true,
    metadata: {},
    inUse: false,
    deletedAt: null,
  });
});

test.each<[string, Partial<MeterInput>, string[]]>([
  ['an empty name', { name: '' }, ['name']],
  ['a name of spaces', { name: ' \t ' }, ['name']],
  [
    'a unique count of an impossible property name',
    { aggregation: 'UNIQUE_COUNT', uniqueProperty: '__proto__' },
    ['uniqueProperty'],
  ],
  ['a name of 121 characters', { name: 'x'.repeat(121) }, ['name']],
  ['a unique count without a property', { aggregation: 'UNIQUE_COUNT' }, ['uniqueProperty']],
  ['a property without a unique count', { uniqueProperty: 'user' }, ['uniqueProperty']],
  ['an unknown aggregation', { aggregation: 'UNKNOWN' }, ['aggregation']],
  ['two problems', { name: '', aggregation: 'UNIQUE_COUNT' }, ['name', 'uniqueProperty']],
])('an input with %s is refused', (_what, input, fields) => {
  expect(refusedFields(() => meter(input))).toEqual(fields);
});

test('an update gives the same meter as a creation with the same fields', () => {
  const before = meter({ unit: 'calls', active: false, metadata: { a: 1 } });
  const after = changeMeter(before, { name: 'Hits', unit: null, metadata: null }, fine);
  expect(after).toEqual({ ...before, name: 'Hits', unit: null, metadata: {} });
  expect(changeMeter(before, { name: 'Calls' }, fine)).toBe(before);
  expect(refusedFields(() => changeMeter(before, { active: null }, fine))).toEqual(['active']);
});

test('a change of the aggregation clears the property that it does not use', () => {
  const before = meter({ aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' });
  expect(changeMeter(before, { aggregation: 'COUNT' }, fine).uniqueProperty).toBeNull();
  expect(refusedFields(() => changeMeter(before, { uniqueProperty: null }, fine))).toEqual([
    'uniqueProperty',
  ]);
});

test('the aggregation is fixed once an event exists', () => {
  const used = markInUse(meter({ aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' })).state;
  expect(refusedFields(() => changeMeter(used, { aggregation: 'SUM' }, fine))).toEqual([
    'aggregation',
  ]);
  expect(refusedFields(() => changeMeter(used, { uniqueProperty: 'team' }, fine))).toEqual([
    'uniqueProperty',
  ]);
  expect(changeMeter(used, { aggregation: 'UNIQUE_COUNT', name: 'Users' }, fine).name).toBe(
    'Users',
  );
  expect(markInUse(used)).toMatchObject({ state: used, isHidden: true });
  expect(markInUse(used).state).toBe(used);
});

test('a deleted meter is unknown', () => {
  const { state } = deleteMeter(meter(), new Date(0));
  expect(() => deleteMeter(state, new Date(1))).toThrow('Meter not found');
  expect(() => changeMeter(state, { name: 'x' }, fine)).toThrow('Meter not found');
});

test('the search is literal and ignores case', () => {
  const named = meter({ name: 'API (v2) .* Calls' });
  expect(['api', '(V2)', '.*', 'calls'].map((text) => isNamed(named, text))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(isNamed(named, 'A.I')).toBe(false);
});
