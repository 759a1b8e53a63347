import { isSameData } from './equality';

const at = (time: string) => new Date(`2026-01-31T${time}Z`);

describe('equal data:', () => {
  test.each<[string, unknown, unknown]>([
    ['for equal primitives', 'a', 'a'],
    ['for equal whole numbers of any size', 2n ** 70n, 2n ** 70n],
    ['for equal times', at('12:00:00'), at('12:00:00')],
    ['in any order of fields', { a: 1, b: { c: null } }, { b: { c: null }, a: 1 }],
    ['with a field that is undefined', { a: 1, b: undefined }, { a: 1 }],
    ['for equal lists', [1, { a: 2 }], [1, { a: 2 }]],
    ['for equal empty objects', {}, {}],
  ])('%s', (_case, left, right) => {
    expect(isSameData(left, right)).toBe(true);
    expect(isSameData(right, left)).toBe(true);
  });
});

describe('different data:', () => {
  test.each<[string, unknown, unknown]>([
    ['in a value', { a: 1 }, { a: 2 }],
    ['in a type', { a: 1 }, { a: '1' }],
    ['in a number and a whole number', { a: 1 }, { a: 1n }],
    ['in a field', { a: 1 }, { b: 1 }],
    ['in a field that is null', { a: null }, {}],
    ['in a field that every object inherits', { toString: 'x' }, {}],
    ['in the length of a list', [1], [1, 2]],
    ['in the order of a list', [1, 2], [2, 1]],
    ['in being a list', [], {}],
    ['in a time', at('12:00:00'), at('12:00:01')],
    ['in being a time', at('12:00:00'), {}],
    ['in being nothing', null, {}],
  ])('%s', (_case, left, right) => {
    expect(isSameData(left, right)).toBe(false);
    expect(isSameData(right, left)).toBe(false);
  });
});
