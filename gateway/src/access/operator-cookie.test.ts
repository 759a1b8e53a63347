import { noOperatorCookie, operatorCookie, readOperatorSession } from './operator-cookie';

const token = 't'.repeat(43);
const tls = 'https://billing.example';
const loopback = 'http://127.0.0.1:3000';
const lifeMs = 604_799_999;

test('over TLS the cookie is bound to the host and sent only from pages of the host', () => {
  expect(operatorCookie(token, { siteUrl: tls, lifeMs })).toBe(
    `__Host-operator=${token}; Path=/; Max-Age=604799; HttpOnly; SameSite=Strict; Secure`,
  );
});

test('on loopback the cookie works without TLS', () => {
  expect(operatorCookie(token, { siteUrl: loopback, lifeMs })).toBe(
    `operator=${token}; Path=/; Max-Age=604799; HttpOnly; SameSite=Strict`,
  );
});

test('the cookie is deleted by an expired one', () => {
  expect(noOperatorCookie(tls)).toContain('__Host-operator=; Path=/; Max-Age=0;');
});

test.each([
  [undefined, tls, undefined],
  ['', tls, undefined],
  ['__Host-operator=', tls, undefined],
  [`operator=${token}`, tls, undefined],
  [`operator=planted; __Host-operator=${token}`, tls, token],
  [`__Host-operator=${token}`, loopback, undefined],
  [`operator=${token}; operator=second`, loopback, token],
])('the header %j at %s contains the session %j', (header, siteUrl, session) => {
  expect(readOperatorSession(header, siteUrl)).toBe(session);
});
