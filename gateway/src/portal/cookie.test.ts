import {
  signInLinkCookie,
  noVisitCookie,
  readSignInLinkNonce,
  readVisit,
  visitCookie,
} from './cookie';

const secret = 's'.repeat(43);
const nonce = 'n'.repeat(22);
const tls = 'https://pay.example';
const loopback = 'http://127.0.0.1:3000';
const lifeMs = 3_599_999;

test('over TLS the cookie is bound to the host and not readable by scripts', () => {
  expect(visitCookie(secret, { siteUrl: tls, lifeMs })).toBe(
    `__Host-portal=${secret}; Path=/; Max-Age=3599; HttpOnly; SameSite=Lax; Secure`,
  );
  expect(signInLinkCookie(nonce, tls)).toBe(
    `portal_door=${nonce}; Path=/portal; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
  );
});

test('the cookie works on loopback without TLS', () => {
  expect(visitCookie(secret, { siteUrl: loopback, lifeMs })).toBe(
    `portal=${secret}; Path=/; Max-Age=3599; HttpOnly; SameSite=Lax`,
  );
});

test('the cookie is deleted by an expired one', () => {
  expect(noVisitCookie(tls)).toContain('__Host-portal=; Path=/; Max-Age=0;');
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['other=1; portal', undefined],
  [`a=b; portal=${secret}`, { secret, isGuarded: false }],
  [`portal=planted; __Host-portal=${secret}`, { secret, isGuarded: true }],
  [`portal=${secret}; portal=second`, { secret, isGuarded: false }],
])('the header %j contains the session %j', (header, proof) => {
  expect(readVisit(header)).toEqual(proof);
});

test.each([
  [`portal_door=${nonce}`, nonce],
  ['portal_door=short', undefined],
  [undefined, undefined],
])('the header %j contains the nonce %j', (header, mark) => {
  expect(readSignInLinkNonce(header)).toBe(mark);
});
