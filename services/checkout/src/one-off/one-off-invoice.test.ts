import { unchanged } from '@billing/kernel/transition';
import { opensWithDefault } from '../invoice/collection';
import { offSettings } from '../seller/billing-settings';
import { aNewInvoice, asInvoice } from '../testing/invoice';
import { createOneOff, finalize } from './one-off-invoice';

const now = new Date('2026-01-05T12:00:00.000Z');

const terms = { settings: offSettings('environment'), buyer: undefined };
const facts = { terms, now, hasBalance: false, callId: 'call' };

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
  expect(opensWithDefault(finalize(draft, { ...facts, hasBalance: false }).state)).toBe(true);
});

test.each([
  [true, 2900n, 1],
  [true, 0n, undefined],
  [false, 2900n, undefined],
])('with a balance (%s) and a total of %s it asks round %s', (hasBalance, total, expected) => {
  const finalized = asInvoice(finalize(aDraft(total), { ...facts, hasBalance }).state);
  expect(finalized.balanceRound).toBe(expected);
});

test('a call that finalized its draft may be repeated, and no other one', () => {
  const { state, commands } = finalize(aDraft(), facts);
  expect(commands).toEqual([{ type: 'openInvoice', payload: {} }]);
  const later = { ...facts, now: new Date(now.getTime() + 1) };
  expect(finalize(state, later)).toEqual(unchanged(state));
  for (const callId of ['other', undefined]) {
    expect(() => finalize(state, { ...facts, callId })).toThrow('Invoice is not a draft');
  }
  const unnamed = finalize(aDraft(), { ...facts, callId: undefined }).state;
  expect(() => finalize(unnamed, { ...facts, callId: undefined })).toThrow('not a draft');
});
