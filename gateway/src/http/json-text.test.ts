import { isStorableJson } from './json-text';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('a body', () => {
  test.each([{}, { a: ['ü', '😀', '\u0000'] }, null, 7, nested(64)])(
    'a storable body is accepted: %#',
    (body) => {
      expect(isStorableJson(body)).toBe(true);
    },
  );

  test.each([
    ['half a character', { a: ['\ud800'] }],
    ['half a character in a name', { '\udc00': 1 }],
    ['65 levels', nested(65)],
    ['60,000 levels', nested(60_000)],
  ])('with %s is refused', (_case, body) => {
    expect(isStorableJson(body)).toBe(false);
  });
});
