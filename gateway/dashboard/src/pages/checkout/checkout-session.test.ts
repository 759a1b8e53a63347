import { sessionReason } from './checkout-session';

const declined = { code: 'card_declined', at: '2026-03-01T00:00:00.000Z' };

test.each([
  [{ endReason: null, lastPaymentError: null }, ''],
  [{ endReason: null, lastPaymentError: declined }, 'Payment failed: card declined'],
  [{ endReason: 'EXPIRED', lastPaymentError: null }, 'Not paid in time'],
  [
    { endReason: 'EXPIRED', lastPaymentError: declined },
    'Not paid in time. Payment failed: card declined',
  ],
  [{ endReason: 'WITHDRAWN', lastPaymentError: null }, 'Product or discount removed'],
] as const)('the reason of a session with %j is %j', (session, reason) => {
  expect(sessionReason(session)).toBe(reason);
});
