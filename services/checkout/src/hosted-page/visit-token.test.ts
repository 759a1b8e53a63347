import { sessionOfVisit, visitTokenOf } from './visit-token';

const sessionId = '0197a000-0000-7000-8000-000000000001';
const other = '0197a000-0000-7000-8000-000000000002';
const secret = 's'.repeat(32);
const before = 'b'.repeat(32);
const token = visitTokenOf(sessionId, secret);

test('a token names its session, also after the secret was replaced', () => {
  expect(sessionOfVisit(token, [secret])).toBe(sessionId);
  expect(sessionOfVisit(visitTokenOf(sessionId, before), [secret, before])).toBe(sessionId);
});

test.each([
  ['of another secret', visitTokenOf(sessionId, before)],
  ['of another session', token.replace(sessionId, other)],
  ['without its proof', sessionId],
  ['with a shorter proof', token.slice(0, -1)],
  ['without an id', token.slice(sessionId.length)],
  ['that is empty', ''],
])('a token %s names no session', (_case, sent) => {
  expect(sessionOfVisit(sent, [secret])).toBeUndefined();
});
