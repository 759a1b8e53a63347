import { outcomeOf } from './send-outcome';

test.each([
  [450, 'RCPT TO', '450 4.2.0 Greylisted', { kind: 'POSTPONED', reason: 'smtp_450' }],
  [421, 'DATA', '421 4.3.2 Shutting down', { kind: 'POSTPONED', reason: 'smtp_421' }],
  [550, 'RCPT TO', '550 5.1.1 No such user', { kind: 'BOUNCED' }],
  [550, 'RCPT TO', '550 5.7.1 Refused', { kind: 'REFUSED', reason: 'smtp_550' }],
  [550, 'RCPT TO', '550 No', { kind: 'REFUSED', reason: 'smtp_550' }],
  [550, 'DATA', '550 5.1.1 No such user', { kind: 'REFUSED', reason: 'smtp_550' }],
  [552, 'DATA', '552 5.2.2 Mailbox full', { kind: 'REFUSED', reason: 'smtp_552' }],
  [553, 'MAIL FROM', '553 5.1.8 Sender', { kind: 'REFUSED', reason: 'smtp_553' }],
  [535, 'AUTH PLAIN', '535 5.7.8 Credentials', { kind: 'POSTPONED', reason: 'smtp_535' }],
  [554, 'CONN', '554 No service', { kind: 'POSTPONED', reason: 'smtp_554' }],
])('an answer %i to %s gives %s: %j', (responseCode, command, response, outcome) => {
  const failure = { responseCode, command, response, isTlsFailure: false };
  expect(outcomeOf(failure)).toEqual(outcome);
});

test.each([
  ['EMESSAGE', 'smtp_552'],
  ['EENVELOPE', 'smtp_553'],
])('a mail that the connection refuses itself with %s is given up', (clientCode, reason) => {
  const none = { responseCode: undefined, response: undefined, command: 'MAIL FROM' };
  expect(outcomeOf({ ...none, clientCode, isTlsFailure: false })).toEqual({
    kind: 'REFUSED',
    reason,
  });
});

test('an attempt without an answer is told by its connection', () => {
  const none = { responseCode: undefined, command: 'CONN', response: undefined };
  expect(outcomeOf({ ...none, isTlsFailure: false })).toEqual({
    kind: 'NO_ANSWER',
    reason: 'connection_failed',
  });
  expect(outcomeOf({ ...none, isTlsFailure: true })).toEqual({
    kind: 'NO_ANSWER',
    reason: 'tls_failed',
  });
});

test('a server that refuses TLS has given no answer about the mail', () => {
  const refused = { responseCode: 502, command: 'STARTTLS', response: '502 Not implemented' };
  expect(outcomeOf({ ...refused, isTlsFailure: true })).toEqual({
    kind: 'NO_ANSWER',
    reason: 'tls_failed',
  });
});
