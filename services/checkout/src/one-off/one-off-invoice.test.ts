import { opensWithDefault } from '../invoice/collection';
import { offSettings } from '../seller/billing-settings';
import { aNewInvoice, asInvoice } from '../testing/invoice';
import { createOneOff, finalize } from './one-off-invoice';

const now = new Date('2026-01-05T12:00:00.000Z');

const terms = { settings: offSettings('environment'), buyer: undefined };

function aDraft(amount = 2900n) {
  const { lineItems, ...invoice } = aNewInvoice();
  const oneOff = { netDays: undefined, memo: undefined, purchaseOrder: undefined, metadata: {} };
  return createOneOff({
    ...invoice,
    lineItems: lineItems.map((line) => ({ ...line, amount })),
    oneOff: { ...oneOff, finalizedAt: undefined },
  }).state;
}

test('a draft holds up no other collection of its customer until it is finalized', () => {
  const draft = aDraft();
  expect(opensWithDefault(draft)).toBe(false);
  expect(opensWithDefault(finalize(draft, { hasBalance: false, terms, now }).state)).toBe(true);
});

test.each([
  [true, 2900n, 1],
  [true, 0n, undefined],
  [false, 2900n, undefined],
])('with a balance (%s) and a total of %s it asks round %s', (hasBalance, total, expected) => {
  const finalized = asInvoice(finalize(aDraft(total), { hasBalance, terms, now }).state);
  expect(finalized.balanceRound).toBe(expected);
});
