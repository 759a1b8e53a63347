import { fieldProblem } from '../../api/problem';
import {
  firstOrNextTitle,
  newSubscription,
  purchasePreview,
  startText,
  type WantedSubscription,
} from './new-subscription';
import { dueText, type Preview } from './preview';

const filledIn = (entries: Readonly<Record<string, string>>) => ({
  text: (name: string) => entries[name] ?? '',
  optional: (name: string) => entries[name],
  has: (name: string) => name in entries,
});

test('empty fields get the defaults of the API', () => {
  expect(newSubscription(filledIn({ productId: 'p' }), 'c')).toEqual({
    customerId: 'c',
    productId: 'p',
    quantity: 1,
    discountId: null,
    startAt: null,
    authorizedTransactionId: null,
  });
});

test('filled fields are sent, and an invalid number is left to the API to reject', () => {
  const filled = { productId: 'p', quantity: '12', startAt: '2026-03-01T08:30', discountId: 'd' };
  expect(newSubscription(filledIn(filled), 'c')).toMatchObject({
    quantity: 12,
    startAt: '2026-03-01T08:30:00Z',
    discountId: 'd',
  });
  const odd = newSubscription(filledIn({ productId: 'p', quantity: 'many' }), 'c');
  expect(odd).toMatchObject({ quantity: 'many' });
});

test('an authorized transaction is sent if it is chosen, and needs its id', () => {
  const filled = { productId: 'p', authorizedTransactionId: 'txn_1' };
  const chosen = { ...filled, payment: 'AUTHORIZED' };
  expect(newSubscription(filledIn(filled), 'c').authorizedTransactionId).toBeNull();
  expect(newSubscription(filledIn(chosen), 'c').authorizedTransactionId).toBe('txn_1');
  const empty = { productId: 'p', payment: 'AUTHORIZED' };
  expect(() => newSubscription(filledIn(empty), 'c')).toThrow(
    fieldProblem('authorizedTransactionId', 'Required'),
  );
});

test('several items are sent as a list', () => {
  const filled = {
    ...{ 'items.0.productId': 'seats', 'items.0.quantity': '10' },
    ...{ 'items.1.productId': 'support', 'items.1.quantity': '1' },
  };
  const wanted = newSubscription(filledIn(filled), 'c');
  expect(wanted).toMatchObject({
    items: [
      { productId: 'seats', quantity: 10 },
      { productId: 'support', quantity: 1 },
    ],
  });
  expect(wanted).not.toHaveProperty('productId');
});

const [now, later] = ['2026-06-11T00:00:00.000Z', '2026-07-01T00:00:00.000Z'];

describe('the review of a new subscription', () => {
  const wanted: WantedSubscription = {
    ...{ customerId: 'c', productId: 'p', quantity: 1, discountId: null },
    ...{ startAt: null, authorizedTransactionId: null },
  };
  const invoice = { currency: 'EUR', amountDue: 2900 } as unknown as Preview['invoice'];
  const nextInvoice = { currency: 'EUR', periodStart: later, estimated: false };
  const starts = { at: now, effectiveAt: now, dueNow: 2900, invoice, nextInvoice } as Preview;
  const waits = { ...starts, effectiveAt: later, dueNow: 0, invoice: null };

  test('asks for the same, without what the preview does not depend on', () => {
    const { authorizedTransactionId: _paid, ...rest } = wanted;
    expect(purchasePreview(wanted)).toEqual({ kind: 'PURCHASE', ...rest });
  });

  test('says when it starts, and how its first invoice is paid', () => {
    expect(startText(starts, wanted)).toBe(
      'The subscription starts now. The saved payment method is charged. Without one, the customer pays on the invoice page.',
    );
    expect(startText(starts, { ...wanted, authorizedTransactionId: 'txn_1' })).toBe(
      'The subscription starts now. The authorized transaction is charged.',
    );
    expect(startText({ ...starts, dueNow: 0 }, wanted)).toBe('The subscription starts now.');
    expect(startText(waits, { ...wanted, startAt: later })).toBe(
      'The subscription starts on 2026-07-01 00:00:00 UTC.',
    );
  });

  test('does not say that the amount is charged: there may be no payment method', () => {
    const purchase: Preview = {
      ...{ ...starts, kind: 'PURCHASE', linesPutOff: [], creditNotes: [] },
    };
    expect(dueText(purchase, 'EUR')).toBe('€29.00 is due today.');
  });

  test('names the first invoice if none is made now', () => {
    expect(firstOrNextTitle(starts, wanted)).toBe('Next invoice on Jul 1, 2026');
    expect(firstOrNextTitle(waits, wanted)).toBe('First invoice on Jul 1, 2026');
    expect(firstOrNextTitle(waits, { ...wanted, startAt: later })).toBe(
      'First invoice on 2026-07-01 00:00:00 UTC',
    );
    expect(firstOrNextTitle({ ...waits, nextInvoice: null }, wanted)).toBeUndefined();
  });
});
