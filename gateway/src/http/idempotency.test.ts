import { comparableBody, readIdempotency, type RepeatableRequest } from './idempotency';

const request: RepeatableRequest = {
  key: 'k',
  method: 'POST',
  path: '/v1/x',
  body: { a: 1, b: [2] },
};
const hashOf = (changes: Partial<RepeatableRequest>) =>
  readIdempotency({ ...request, ...changes }, () => undefined)?.requestHash;

describe('a request with an Idempotency-Key', () => {
  test('the order of object keys does not matter', () => {
    expect(hashOf({ body: { b: [2], a: 1 } })).toBe(hashOf({}));
  });

  test.each([
    ['method', { method: 'PATCH' }],
    ['path', { path: '/v1/y' }],
    ['value', { body: { a: 2, b: [2] } }],
    ['type', { body: { a: '1', b: [2] } }],
    ['order of a list', { body: { a: 1, b: [2, 3] } }],
    ['nesting', { body: [['a', 1]] }],
  ])('differs with another %s', (_case, changes) => {
    expect(hashOf(changes)).not.toBe(hashOf({}));
  });

  test('an object and the list of its entries are different bodies', () => {
    expect(hashOf({ body: { a: 1 } })).not.toBe(hashOf({ body: [['a', 1]] }));
  });

  test.each([undefined, ''])('the key %j counts as absent', (key) => {
    expect(hashOf({ key })).toBeUndefined();
  });

  test('the key may have at most 255 characters', () => {
    expect(hashOf({ key: 'k'.repeat(255) })).toBeDefined();
    expect(() => hashOf({ key: 'k'.repeat(256) })).toThrow('Invalid request');
  });
});

describe('a body that is passed on as bytes', () => {
  const levels = 200_000;
  test.each<[string, string, unknown]>([
    ['JSON', '{"a":1}', { a: 1 }],
    ['no JSON', '{', '{'],
    [
      'text nested too deeply to traverse',
      '['.repeat(levels) + ']'.repeat(levels),
      expect.any(String),
    ],
  ])('is compared as %s', (_what, text, compared) => {
    const body = comparableBody(Buffer.from(text));
    expect(body).toEqual(compared);
    expect(hashOf({ body })).toBeDefined();
  });
});
