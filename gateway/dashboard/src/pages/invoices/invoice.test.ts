import {
  attemptText,
  chargeRefusal,
  errorText,
  type InvoicePayment,
  invoiceName,
  voidRefusal,
} from './invoice';

const payment = (status: string, failureCode: string | null = null) =>
  ({ status, failureCode }) as InvoicePayment;
const open = { billingReason: 'SUBSCRIPTION_CYCLE', payments: [] as InvoicePayment[] } as const;

test('an invoice is called by its number, a draft by its id', () => {
  expect(invoiceName({ number: 'INV-000007', id: '01970f3e-8a4b' })).toBe('INV-000007');
  expect(invoiceName({ number: null, id: '01970f3e-8a4b' })).toBe('Draft 01970f3e');
});

test('an open invoice can be charged and voided, after failures too', () => {
  for (const payments of [[], [payment('FAILED', 'card_declined')]]) {
    expect(chargeRefusal({ ...open, payments })).toBeUndefined();
    expect(voidRefusal({ ...open, payments })).toBeUndefined();
  }
});

test('one whose payment is under way waits for what comes of it', () => {
  const payments = [payment('FAILED', 'card_declined'), payment('PENDING')];
  expect(chargeRefusal({ ...open, payments })).toBe('A payment is under way.');
  expect(voidRefusal({ ...open, payments })).toBe('A payment is under way.');
});

test('one of an open checkout belongs to its page', () => {
  const ofCheckout = { ...open, billingReason: 'CHECKOUT' } as const;
  expect(chargeRefusal(ofCheckout)).toMatch('page of its checkout');
  expect(voidRefusal(ofCheckout)).toMatch('checkout expires');
});

test('an attempt is told by what came of it', () => {
  const texts = [
    payment('SUCCEEDED'),
    payment('FAILED', 'insufficient_funds'),
    payment('REQUIRES_ACTION'),
    payment('PENDING'),
  ].map(attemptText);
  expect(texts).toEqual([
    'Paid.',
    'Not paid: insufficient funds.',
    'The payer has to confirm this payment with their bank.',
    'The payment is under way.',
  ]);
});

test('the last payment error names its reason and its time', () => {
  const at = '2026-03-01T12:30:00.000Z';
  const error = (code: string) => ({ code, message: '', at });
  expect(errorText(error('card_declined'))).toBe('card declined, 2026-03-01 12:30:00 UTC');
  expect(errorText(error('no_payment_provider'))).toBe(
    'no payment provider is configured, 2026-03-01 12:30:00 UTC',
  );
});
