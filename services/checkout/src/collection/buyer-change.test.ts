import { AMOUNT_MAX } from '@billing/kernel/money';
import { addressOf } from '@billing/kernel/input/address';
import { type Invoice, taxOf, totalOf } from '../invoice/invoice';
import { payNow } from '../invoice/collection';
import { offSettings } from '../seller/billing-settings';
import { aClaim, aLineItem, anOpened, asInvoice, savedMethod } from '../testing/invoice';
import type { InvoiceBuyer } from '../tax/finalization';
import { type BuyerChange, changeBuyer } from './buyer-change';

const now = new Date('2026-01-01T00:00:00.000Z');
const { seller, ...off } = offSettings('environment');
const settings = {
  ...off,
  seller: {
    ...{ ...seller, legalName: 'Ada GmbH', address: addressOf({ country: 'DE' }) },
    tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
  },
} as const;
const bob: InvoiceBuyer = {
  ...{ name: null, email: 'bob@example.com', phone: null, address: null, taxIds: [] },
  buyerReference: null,
};
const session = {
  sessionId: '0197a000-0000-7000-8000-000000000101',
  subscriptionId: undefined,
  paidPeriod: { kind: 'NONE' },
} as const;

function aTaxed(amount = 2900n): Invoice {
  const buyer = { buyer: bob, taxExempt: 'NONE', netDays: undefined } as const;
  const terms = { settings, buyer, at: now, isFinal: false };
  const taxed = { session, terms, subscriptionId: undefined, billingReason: 'CHECKOUT' } as const;
  return anOpened({ ...taxed, lineItems: [aLineItem({ amount })] });
}

const change = (typed: BuyerChange['typed']): BuyerChange => ({
  ...{ typed, settings, taxExempt: 'NONE', now },
});

test('the country and the tax id of a buyer decide the tax of an unpaid session', () => {
  const home = aTaxed();
  expect([taxOf(home), totalOf(home)]).toEqual([551n, 3451n]);
  const french = asInvoice(changeBuyer(home, change({ country: 'FR' })).state);
  expect([taxOf(french), totalOf(french)]).toEqual([580n, 3480n]);
  expect(french.number).toBe(home.number);
  expect(french.finalization).toMatchObject({
    ...{ at: undefined, parties: { buyer: { address: { country: 'FR' } } } },
    taxes: { evidence: [{ kind: 'ADDRESS', value: 'FR' }] },
  });
  const business = changeBuyer(french, change({ taxId: 'FR40303265045' })).state;
  expect([taxOf(asInvoice(business)), totalOf(asInvoice(business))]).toEqual([0n, 2900n]);
  expect(changeBuyer(asInvoice(business), change({ country: 'DE' })).state).toEqual(business);
});

test.each<[string, Invoice]>([
  ['whose payment runs', asInvoice(paying(aTaxed()))],
  ['that is paid', { ...aTaxed(), status: 'PAID' }],
  ['that is void', { ...aTaxed(), status: 'VOID' }],
  ['that is not taxed', anOpened({ session, subscriptionId: undefined })],
  ['of no session', { ...aTaxed(), session: undefined }],
])('an invoice %s stays as it is', (_case, invoice) => {
  expect(changeBuyer(invoice, change({ country: 'FR' })).state).toBe(invoice);
});

test('a payment of another amount than is due takes nothing', () => {
  const french = asInvoice(changeBuyer(aTaxed(), change({ country: 'FR' })).state);
  expect(() => paying(french, 3451n)).toThrow('The total has changed.');
  expect(asInvoice(paying(french, 3480n)).attempt).toBeDefined();
});

test('a country that makes the total too large is refused', () => {
  const home = aTaxed(AMOUNT_MAX - AMOUNT_MAX / 5n);
  expect(() => changeBuyer(home, change({ country: 'HU' }))).toThrow(
    expect.objectContaining({
      fields: { country: ['The total with tax exceeds the maximum amount'] },
    }) as Error,
  );
});

function paying(invoice: Invoice, expectedAmount?: bigint) {
  const methods = { methodId: undefined };
  const payer = { callId: 'key', returnUrl: undefined, expectedAmount, methods };
  return payNow(invoice, { ...aClaim({ source: savedMethod }), ...payer }).state;
}
