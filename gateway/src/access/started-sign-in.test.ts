import { DataKeys } from '@billing/chassis/data-keys';
import {
  type StartedSignIn,
  noSignInCookie,
  readStartedSignIn,
  sealNonceBytes,
  signInCookie,
  signInKey,
} from './started-sign-in';

const now = new Date('2026-03-01T12:00:00Z');
const siteUrl = 'https://billing.example';
const key = signInKey('client secret', 'https://id.example billing');
const provider = 'https://id.example billing';
const terms = { siteUrl, provider, dataKeys: undefined, key };
const started: StartedSignIn = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  codeVerifier: 'v'.repeat(43),
  returnTo: `/dashboard/${'x'.repeat(980)}`,
};
const sealNonce = Buffer.alloc(sealNonceBytes, 7);
const set = signInCookie(started, terms, { now, sealNonce });
const sent = set.split(';')[0] ?? '';
const later = (ms: number) => new Date(now.getTime() + ms);

test('the cookie of a started sign-in lasts ten minutes and fits the size limit', () => {
  expect(set).toMatch(
    /^__Host-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(set.length).toBeLessThan(4_096);
  expect(readStartedSignIn(`other=1; ${sent}`, terms, later(599_999))).toEqual(started);
  expect(readStartedSignIn(sent, terms, later(600_000))).toBeUndefined();
});

test('the cookie is unreadable without the key, and the same content is sealed differently each time', () => {
  const value = sent.split('=')[1] ?? '';
  const bytes = Buffer.from(value, 'base64url').toString('latin1');
  expect(bytes).not.toContain(started.codeVerifier);
  const again = signInCookie(started, terms, { now, sealNonce: Buffer.alloc(sealNonceBytes, 8) });
  expect(again).not.toBe(set);
});

test('a change of any bit makes the cookie invalid', () => {
  const value = Buffer.from(sent.split('=')[1] ?? '', 'base64url');
  for (let index = 0; index < value.length; index += 13) {
    const changed = Buffer.from(value);
    changed[index] = (changed[index] ?? 0) ^ 1;
    const header = `__Host-sign-in=${changed.toString('base64url')}`;
    expect(readStartedSignIn(header, terms, now)).toBeUndefined();
  }
});

test.each([
  ['none', undefined, terms],
  ['an empty one', '__Host-sign-in=', terms],
  ['a short one', '__Host-sign-in=abc', terms],
  ['one that a sibling host may have set', sent.replace('__Host-', ''), terms],
  ['of another secret', sent, { ...terms, key: signInKey('other', provider) }],
  ['of another provider', sent, { ...terms, key: signInKey('client secret', 'https://x billing') }],
])('the cookie is refused: %s', (_case, header, where) => {
  expect(readStartedSignIn(header, where, now)).toBeUndefined();
});

describe('under DATA_KEYS', () => {
  const keyOf = (id: string, byte: number) => ({ id, bytes: Buffer.alloc(32, byte) });
  const withKeys = (...keys: ReturnType<typeof keyOf>[]) => ({
    ...terms,
    dataKeys: new DataKeys(keys),
  });
  const [old, added] = [keyOf('1', 1), keyOf('2', 2)];
  const sealed = signInCookie(started, withKeys(old), { now, sealNonce });
  const header = sealed.split(';')[0] ?? '';

  test('the cookie names its key, fits the size limit and ends in time', () => {
    expect(sealed).toMatch(/^__Host-sign-in=sealed:1:[\w-]+; Path=/);
    expect(sealed.length).toBeLessThan(4_096);
    expect(readStartedSignIn(header, withKeys(old), later(599_999))).toEqual(started);
    expect(readStartedSignIn(header, withKeys(old), later(600_000))).toBeUndefined();
  });

  test('the cookie survives a rotation, and a gateway that has the keys since then', () => {
    expect(readStartedSignIn(header, withKeys(added, old), now)).toEqual(started);
    expect(readStartedSignIn(sent, withKeys(old), now)).toEqual(started);
  });

  test.each([
    ['without the key', header, withKeys(added)],
    ['without any key', header, terms],
    ['of another provider', header, { ...withKeys(old), provider: 'https://x billing' }],
    [
      'with another byte',
      `${header.slice(0, -2)}${header.endsWith('A') ? 'B' : 'A'}A`,
      withKeys(old),
    ],
    ['of a key that is named alone', '__Host-sign-in=sealed:1:AAAA', withKeys(old)],
    ['that is not sealed', '__Host-sign-in=sealed:1:', withKeys(old)],
  ])('the cookie is refused %s', (_case, text, where) => {
    expect(readStartedSignIn(text, where, now)).toBeUndefined();
  });
});

test('the cookie works on loopback without TLS, and is deleted in the end', () => {
  const local = { ...terms, siteUrl: 'http://127.0.0.1:3000' };
  const plain = signInCookie(started, local, { now, sealNonce });
  expect(plain).toMatch(/^sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect(readStartedSignIn(plain.split(';')[0], local, now)).toEqual(started);
  expect(noSignInCookie(siteUrl)).toMatch(/^__Host-sign-in=; Path=\/; Max-Age=0;/);
});
