import { unchanged } from '@billing/kernel/transition';
import { opensWithDefault } from '../invoice/collection';
import { offSettings } from '../seller/billing-settings';
import { aNewInvoice, asInvoice } from '../testing/invoice';
import { changeDraft, createOneOff, finalize } from './one-off-invoice';

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

describe('a total that only tax raises above the maximum amount', () => {
  const { seller, ...off } = offSettings('environment');
  const address = { line1: null, line2: null, city: null, state: null, postalCode: null };
  const taxing = {
    ...{ ...seller, legalName: 'Ada GmbH', address: { ...address, country: 'DE' } },
    tax: { prices: 'EXCLUDE_TAX', registrations: ['DE'] },
  } as const;
  const taxed = { settings: { ...off, seller: taxing }, buyer: undefined };
  const problem = { fields: { lines: ['The total with tax exceeds the maximum amount'] } };
  const refusal = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };

  test.each([
    ['a change', (amount: bigint) => changeDraft(aDraft(amount), {}, { terms: taxed, now })],
    ['a finalization', (amount: bigint) => finalize(aDraft(amount), { ...facts, terms: taxed })],
  ])('refuses %s', (_case, act) => {
    expect(refusal(() => act(84_033_613_445n))).toMatchObject(problem);
    expect(refusal(() => act(84_033_613_444n))).not.toBeInstanceOf(Error);
  });
});
