import { recordResult } from './collection';
import { declined, type DeclineCode } from '../provider/port/decline';
import { isPermanentlyRefused } from './dunning';
import { anOpened, asInvoice } from '../testing/invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'txn_1' } as const;
const facts = {
  claimedAt: now,
  methods: { methodId: undefined },
  provider: 'sandbox',
  retryDays: [3],
};

function failedWith(code: DeclineCode) {
  const opened = anOpened({}, source);
  if (opened.attempt === undefined) throw new Error('The authorization is captured');
  const invoice = { ...opened, attempt: { ...opened.attempt, methodId: 'card' } };
  const outcome = declined(code, 'pi_1');
  const finished = { attemptNumber: 1, paymentId: 'payment', outcome, now, ...facts };
  return asInvoice(recordResult(invoice, finished).state).payments;
}

test.each(['authorization_used', 'authorization_mismatch', 'authorization_expired'] as const)(
  'an authorization that fails with %s does not block its card',
  (code) => {
    const payments = failedWith(code);
    expect(payments).toMatchObject([{ failureCode: code, methodId: undefined }]);
    expect(isPermanentlyRefused(payments, 'card')).toBe(false);
  },
);

test('an authorization whose card was permanently refused blocks the card', () => {
  expect(isPermanentlyRefused(failedWith('lost_card'), 'card')).toBe(true);
});
