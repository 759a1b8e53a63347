import { opensWithDefault } from '../invoice/collection';
import { aNewInvoice, asInvoice } from '../testing/invoice';
import { createOneOff, finalize } from './one-off-invoice';

const now = new Date('2026-01-05T12:00:00.000Z');

function aDraft(amount = 2900n) {
  const { lineItems, ...invoice } = aNewInvoice();
  const terms = { netDays: undefined, memo: undefined, purchaseOrder: undefined, metadata: {} };
  return createOneOff({
    ...invoice,
    lineItems: lineItems.map((line) => ({ ...line, amount })),
    oneOff: { ...terms, finalizedAt: undefined },
  }).state;
}

test('a draft holds up no other collection of its customer until it is finalized', () => {
  const draft = aDraft();
  expect(opensWithDefault(draft)).toBe(false);
  expect(opensWithDefault(finalize(draft, { hasBalance: false, now }).state)).toBe(true);
});

test.each([
  [true, 2900n, 1],
  [true, 0n, undefined],
  [false, 2900n, undefined],
])('with a balance (%s) and a total of %s it asks round %s', (hasBalance, total, expected) => {
  const finalized = asInvoice(finalize(aDraft(total), { hasBalance, now }).state);
  expect(finalized.balanceRound).toBe(expected);
});
