import { testEmailResult } from './send-test-email';

describe('the result of a test mail', () => {
  test.each([
    [{ kind: 'ACCEPTED' }, true, { status: 'SENT', reason: null }],
    [{ kind: 'BOUNCED' }, false, { status: 'BOUNCED', reason: 'hard_bounce' }],
    [{ kind: 'REFUSED', reason: 'smtp_550' }, true, { status: 'FAILED', reason: 'smtp_550' }],
    [{ kind: 'POSTPONED', reason: 'smtp_450' }, false, { status: 'FAILED', reason: 'smtp_450' }],
    [
      { kind: 'NO_ANSWER', reason: 'tls_failed' },
      false,
      { status: 'FAILED', reason: 'tls_failed' },
    ],
    [
      { kind: 'NO_ANSWER', reason: 'connection_failed' },
      true,
      { status: 'UNKNOWN', reason: 'outcome_unknown' },
    ],
  ] as const)('of %j, handed over: %s, is %j', (result, isHandedOver, expected) => {
    expect(testEmailResult(result, isHandedOver)).toEqual(expected);
  });
});
