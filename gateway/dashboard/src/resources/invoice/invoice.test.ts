import {
  attemptText,
  chargeRefusal,
  errorText,
  type InvoicePayment,
  invoiceName,
  outstandingOf,
  paymentDetails,
  paymentSource,
  settlementRefusal,
  voidRefusal,
} from './invoice';

const payment = (status: string, failureCode: string | null = null) =>
  ({ status, failureCode }) as InvoicePayment;
const open = {
  ...({ billingReason: 'SUBSCRIPTION_CYCLE', status: 'OPEN' } as const),
  payments: [] as InvoicePayment[],
  creditNoteIds: [] as string[],
};

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
  expect(settlementRefusal(ofCheckout)).toMatch('open checkout');
  expect(settlementRefusal({ ...ofCheckout, status: 'PAID' })).toBeUndefined();
});

test('an invoice that is paid or credited in part is not voided', () => {
  expect(voidRefusal({ ...open, payments: [payment('SUCCEEDED')] })).toMatch('paid');
  expect(voidRefusal({ ...open, creditNoteIds: ['id'] })).toMatch('credit notes');
});

test('what is outstanding is neither paid, applied from the balance nor credited', () => {
  const sums = { total: 3_451, amountPaid: 2_000, balanceApplied: 400, amountReduced: 51 };
  expect(outstandingOf(sums)).toBe(1_000);
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

test('the details of a payment are its failure, or its reference and where it went', () => {
  const paid = { currency: 'USD', reference: null, overpayment: 0, amountRefunded: 0 };
  const details = (change: object) =>
    paymentDetails({ ...paid, failureCode: null, ...change } as InvoicePayment);
  expect(details({})).toBe('');
  expect(details({ failureCode: 'card_declined' })).toBe('Card declined');
  expect(details({ reference: 'Statement 7', overpayment: 549, amountRefunded: 100 })).toBe(
    'Statement 7, $5.49 to the balance, $1.00 refunded',
  );
});

test('the source of a payment is its card, or its method where no card is known', () => {
  const card = { brand: 'visa', last4: '4242' };
  expect(paymentSource({ method: 'CARD', card })).toBe('Visa 4242');
  expect(paymentSource({ method: 'CARD', card: null })).toBe('Card');
  expect(paymentSource({ method: 'BANK_TRANSFER', card: null })).toBe('Bank transfer');
});

test('the last payment error shows its reason', () => {
  expect(errorText('card_declined')).toBe('Card declined');
  expect(errorText('no_payment_provider')).toBe('No payment provider is configured');
});
