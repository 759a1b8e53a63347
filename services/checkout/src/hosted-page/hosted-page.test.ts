import { hostedUrl, isWellFormedToken, resourceOf, tokenHash, tokenOf } from './hosted-page';

const secret = 's'.repeat(32);
const resourceId = '0197a000-0000-7000-8000-000000000001';
const kinds = ['CHECKOUT_SESSION', 'CHECKOUT_LINK', 'INVOICE'] as const;

test('the token of a session is the HMAC of its id, in 43 characters of base64url', () => {
  const token = tokenOf({ kind: 'CHECKOUT_SESSION', resourceId }, secret);
  expect(token).toBe('hM4lf31Os657PbPcAvRewVjJshxosCxR7VmVCO9E0zc');
  expect(isWellFormedToken(token)).toBe(true);
});

test.each(['CHECKOUT_LINK', 'INVOICE'] as const)('the token of a %s names it', (kind) => {
  const token = tokenOf({ kind, resourceId }, secret);
  expect(isWellFormedToken(token)).toBe(true);
  expect(resourceOf(token, secret)).toEqual({ kind, resourceId });
  expect(resourceOf(token, 't'.repeat(32))).toBeUndefined();
});

test('a change of any single character makes a token invalid', () => {
  const token = tokenOf({ kind: 'INVOICE', resourceId }, secret);
  const others = Array.from(token, (letter, at) => {
    const other = letter === 'A' ? 'B' : 'A';
    return `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
  });
  // The last character encodes four bits only: adjacent characters decode to the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const ends = Array.from(alphabet, (end) => `${token.slice(0, -1)}${end}`);
  for (const forged of [...others, ...ends].filter((text) => text !== token)) {
    expect(resourceOf(forged, secret)).toBeUndefined();
  }
});

test.each(['', resourceId, tokenOf({ kind: 'CHECKOUT_SESSION', resourceId }, secret)])(
  'the text %j names no resource',
  (text) => {
    expect(resourceOf(text, secret)).toBeUndefined();
  },
);

test.each(['', 'a-link', resourceId.toUpperCase().replace('0197', '0197A'), `${resourceId}0`])(
  'a token cannot be created for %j, which it could not be found by',
  (id) => {
    expect(() => tokenOf({ kind: 'INVOICE', resourceId: id }, secret)).toThrow('cannot name');
  },
);

test('pages of different kinds with one id have different tokens', () => {
  const tokens = kinds.map((kind) => tokenOf({ kind, resourceId }, secret));
  expect(new Set(tokens).size).toBe(kinds.length);
});

test('another secret gives another token', () => {
  const page = { kind: 'INVOICE', resourceId } as const;
  expect(tokenOf(page, 't'.repeat(32))).not.toBe(tokenOf(page, secret));
});

test.each([
  ['CHECKOUT_SESSION', 'checkout'],
  ['CHECKOUT_LINK', 'link'],
  ['INVOICE', 'invoice'],
] as const)('the page of a %s is under /%s', (kind, path) => {
  const site = { url: 'https://pay.example', secret };
  const token = tokenOf({ kind, resourceId }, secret);
  expect(hostedUrl({ kind, resourceId }, site)).toBe(`https://pay.example/${path}/${token}`);
});

test('the stored hash does not reveal the token', () => {
  const token = tokenOf({ kind: 'CHECKOUT_SESSION', resourceId }, secret);
  expect(tokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
  expect(tokenHash(token)).not.toContain(token);
});

test.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}.`, `${'a'.repeat(42)}\n`])(
  'the text %j is not a token',
  (text) => {
    expect(isWellFormedToken(text)).toBe(false);
  },
);
