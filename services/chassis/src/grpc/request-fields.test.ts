import { maskedFields, toUpdateMask, checkMetadata } from './request-fields';

const fields = { name: 'Ada', postalCode: null, line1: undefined };

test('a mask selects the named fields with any values, and no others', () => {
  expect(maskedFields(fields, toUpdateMask(['postalCode', 'line1']))).toStrictEqual({
    postalCode: null,
    line1: undefined,
  });
});

test.each([[undefined], [[]]])('the mask %j selects nothing', (mask) => {
  expect(maskedFields(fields, mask)).toEqual({});
});

test('a mask uses proto names', () => {
  expect(toUpdateMask(['name', 'postalCode'])).toEqual(['name', 'postal_code']);
});

test.each([['external_id'], ['*'], ['constructor'], ['__proto__'], ['address.line1'], ['']])(
  'the path %j to a field that may not be changed is refused',
  (path) => {
    expect(() => maskedFields(fields, ['name', path])).toThrow(
      expect.objectContaining({ kind: 'invalid_input' }),
    );
  },
);

test("a refusal uses the field's name in REST", () => {
  expect(() => maskedFields(fields, ['external_id'])).toThrow(
    expect.objectContaining({ fields: { externalId: ['Cannot be changed'] } }),
  );
});

const keyRefused = 'Key must be 1 to 40 characters of A-Z, a-z, 0-9, _, . and -';

function withKeys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${String(index)}`, 1]));
}

describe('accepted metadata', () => {
  test.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['an empty object', {}],
    ['as many keys as may be', withKeys(50)],
    ['the shortest key', { a: 1 }],
    ['the longest key', { ['k'.repeat(40)]: 1 }],
    ['every kind of character in a key', { 'aZ09_.-': 1 }],
    ['a key of the object prototype', { constructor: 'x', toString: 'y' }],
    ['the longest text', { text: 'x'.repeat(500) }],
    ['an empty text', { text: '' }],
    ['every kind of value', { a: 'b', c: -1.5, d: true, e: false, f: null }],
    ['the largest number', { number: Number.MAX_SAFE_INTEGER }],
    ['the smallest number', { number: Number.MIN_SAFE_INTEGER }],
  ])('%s', (_case, metadata) => {
    expect(checkMetadata(metadata)).toEqual([]);
  });
});

describe('refused metadata', () => {
  test.each<[string, unknown, string[]]>([
    ['a text', 'text', ['Must be an object']],
    ['a number', 1, ['Must be an object']],
    ['a list', [], ['Must be an object']],
    ['a key too many', withKeys(51), ['Must have at most 50 keys']],
    ['an empty key', { '': 1 }, [`: ${keyRefused}`]],
    [
      'a key one character too long',
      { ['k'.repeat(41)]: 1 },
      [`${'k'.repeat(40)}…: ${keyRefused}`],
    ],
    ['a blank in a key', { 'a b': 1 }, [`a b: ${keyRefused}`]],
    ['a line break after a key', { 'a\n': 1 }, [`a\n: ${keyRefused}`]],
    ['a letter beyond ASCII in a key', { ü: 1 }, [`ü: ${keyRefused}`]],
    ['a key that begins with $', { $set: 1 }, [`$set: ${keyRefused}`]],
    ['the key __proto__', JSON.parse('{"__proto__":1}'), ['__proto__: Key is reserved']],
    [
      'a text one character too long',
      { text: 'x'.repeat(501) },
      ['text: Must be at most 500 characters'],
    ],
    ['a number beyond 2^53 - 1', { n: 2 ** 53 }, ['n: Number out of range']],
    ['a number below -(2^53 - 1)', { n: -(2 ** 53) }, ['n: Number out of range']],
    ['no number', { n: Number.NaN }, ['n: Number out of range']],
    ['infinity', { n: Number.POSITIVE_INFINITY }, ['n: Number out of range']],
    ['a nested object', { a: {} }, ['a: Must be a string, number, boolean or null']],
    ['a nested list', { a: [1] }, ['a: Must be a string, number, boolean or null']],
    ['a bigint', { a: 1n }, ['a: Must be a string, number, boolean or null']],
    ['an undefined value', { a: undefined }, ['a: Must be a string, number, boolean or null']],
    [
      'several things at once',
      { 'a b': {}, ok: 1, n: 2 ** 60 },
      [
        `a b: ${keyRefused}`,
        'a b: Must be a string, number, boolean or null',
        'n: Number out of range',
      ],
    ],
  ])('%s', (_case, metadata, problems) => {
    expect(checkMetadata(metadata)).toEqual(problems);
  });
});
