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

test('an invoice is displayed by its number, a draft by its id', () => {
  expect(invoiceName({ number: 'INV-000007', id: '01970f3e-8a4b' })).toBe('INV-000007');
  expect(invoiceName({ number: null, id: '01970f3e-8a4b' })).toBe('Draft 01970f3e');
});

test('an open invoice can be charged and voided, after failures too', () => {
  for (const payments of [[], [payment('FAILED', 'card_declined')]]) {
    expect(chargeRefusal({ ...open, payments })).toBeUndefined();
    expect(voidRefusal({ ...open, payments })).toBeUndefined();
  }
});

test('an invoice with a payment in progress can be neither charged nor voided', () => {
  const payments = [payment('FAILED', 'card_declined'), payment('PENDING')];
  expect(chargeRefusal({ ...open, payments })).toBe('A payment is in progress.');
  expect(voidRefusal({ ...open, payments })).toBe('A payment is in progress.');
});

test('the invoice of an open checkout is paid or voided through its checkout only', () => {
  const ofCheckout = { ...open, billingReason: 'CHECKOUT' } as const;
  expect(chargeRefusal(ofCheckout)).toMatch('on its checkout page');
  expect(voidRefusal(ofCheckout)).toMatch('checkout expires');
});

test('a payment attempt reads as its outcome', () => {
  const texts = [
    payment('SUCCEEDED'),
    payment('FAILED', 'insufficient_funds'),
    payment('REQUIRES_ACTION'),
    payment('PENDING'),
  ].map(attemptText);
  expect(texts).toEqual([
    'Paid.',
    'Payment failed: insufficient funds.',
    'The customer has to confirm this payment with their bank.',
    'The payment is in progress.',
  ]);
});

test('the last payment error shows its reason and time', () => {
  const at = '2026-03-01T12:30:00.000Z';
  const error = (code: string) => ({ code, message: '', at });
  expect(errorText(error('card_declined'))).toBe('card declined, 2026-03-01 12:30:00 UTC');
  expect(errorText(error('no_payment_provider'))).toBe(
    'no payment provider is configured, 2026-03-01 12:30:00 UTC',
  );
});
