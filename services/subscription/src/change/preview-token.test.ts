import {
  claimOf,
  digestOf,
  type PreviewClaim,
  type PreviewInput,
  previewInputs,
  staleNames,
  tokenOf,
} from '@billing/chassis/preview-token';
import fc from 'fast-check';
import { requestChange } from '../lifecycle/apply-change';
import { planChange } from '../lifecycle/plan-change';
import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, day, invoiceIdOf } from '../testing/fixtures';
import { isBalanceLeft } from './sign-preview';

const seal = { secret: 's'.repeat(32), environmentId: 'environment' };
const inputs = Object.fromEntries(previewInputs.map((name) => [name, 'same'])) as Record<
  PreviewInput,
  string
>;
const claim: PreviewClaim = {
  nonce: 'one',
  ...{ at: 1_000, validUntil: 2_000, request: 'request', promised: 'promised' },
  balanceApplied: '500',
  inputs,
};
const present = { now: 1_500, promised: 'promised', inputs, isBalanceLeft: true };
const madeFor = { ...claim, madeFor: 'state' };

describe('a token', () => {
  test('is read in its environment alone, and only as it was signed', () => {
    const token = tokenOf(claim, seal);
    expect(token.length).toBeLessThanOrEqual(1_000);
    expect(claimOf(token, seal)).toEqual(claim);
    expect(claimOf(token, { ...seal, environmentId: 'other' })).toBeUndefined();
    expect(claimOf(token, { ...seal, secret: 'o'.repeat(32) })).toBeUndefined();
    const [payload = '', proof = ''] = token.split('.');
    expect(claimOf(`${payload}A.${proof}`, seal)).toBeUndefined();
    expect(claimOf(payload, seal)).toBeUndefined();
  });
});

describe('a preview', () => {
  test.each(previewInputs)('is stale by %s where the result moved with it', (name) => {
    const moved = { ...present, promised: 'other', inputs: { ...inputs, [name]: 'other' } };
    expect(staleNames(claim, moved)).toEqual([name]);
  });

  test.each(previewInputs)('is honored where %s moved without the result', (name) => {
    const moved = { ...present, inputs: { ...inputs, [name]: 'other' } };
    expect(staleNames(claim, moved)).toEqual([]);
  });

  test('is stale by subscription where the same result is for another state', () => {
    const moved = { ...present, madeFor: 'other', inputs: { ...inputs, invoice: 'other' } };
    expect(staleNames(madeFor, moved)).toEqual(['subscription']);
    expect(staleNames(madeFor, { ...moved, promised: 'other' })).toEqual([
      ...['subscription', 'invoice'],
    ]);
  });

  test('is honored for its state, and where an earlier release has signed it for none', () => {
    expect(staleNames(madeFor, { ...present, madeFor: 'state' })).toEqual([]);
    expect(staleNames(claim, { ...present, madeFor: 'state' })).toEqual([]);
  });

  test.each([
    ['before its instant', { now: 999 }, ['time']],
    ['after its end', { now: 2_001 }, ['time']],
    ['where the balance is gone', { isBalanceLeft: false }, ['balance']],
    [
      'for several reasons at once, in the order of the contract',
      { now: 3_000, promised: 'x', isBalanceLeft: false, inputs: { ...inputs, price: 'x' } },
      ['time', 'price', 'balance'],
    ],
  ])('is stale %s', (_name, moved, names) => {
    expect(staleNames(claim, { ...present, ...moved })).toEqual(names);
  });

  test('of any increase is what the change charges, however much later it is made', () => {
    const amount = fc.bigInt({ min: 0n, max: 10_000_000n });
    const moment = fc.integer({ min: 0, max: 27 * 86_400_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        amount,
        moment,
        fc.integer({ min: 0, max: 15 * 60_000 }),
        (from, more, price, at, laterMs) => {
          const subscription = paidSubscription(price, from);
          const instant = new Date(day('01-31').getTime() + at);
          const request = requestOf(subscription, from + more, instant);
          const preview = planChange(subscription, { ...request, at: instant });
          const now = new Date(instant.getTime() + laterMs);
          const { state } = requestChange(subscription, request, { now });
          const change = state.changes.paying ?? state.changes.finished.at(-1);
          expect(digestOf(change?.invoice)).toBe(digestOf(preview.invoice));
          expect(change?.effectiveAt).toEqual(instant);
        },
      ),
    );
  });
});

test.each([
  ['covers what was shown', { balanceApplied: 500n, total: 900n }, true],
  ['covers more, which nothing has promised', { balanceApplied: 600n, total: 900n }, true],
  ['covers less', { balanceApplied: 499n, total: 900n }, false],
  ['covers all of a smaller invoice', { balanceApplied: 300n, total: 300n }, true],
  ['is not asked, because there is no invoice', undefined, true],
])('a balance that %s', (_what, invoice, isLeft) => {
  expect(isBalanceLeft(invoice, 500n)).toBe(isLeft);
});

function paidSubscription(amount: bigint, quantity: number): Subscription {
  return {
    ...aSubscription({ quantity }, { price: aPrice({ type: 'PER_UNIT', amount }) }),
    openInvoices: [],
    latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
  };
}

function requestOf(subscription: Subscription, quantity: number, instant: Date) {
  const [{ price, quantity: present_ }] = subscription.items;
  const amount = price.amount * BigInt(present_);
  expect(periodOf(subscription, 0).start).toEqual(day('01-31'));
  const recurring = { lineItemId: 'line', amount, discountAmount: 0n };
  const line = { lineItemId: 'line', itemId: 'item', priced: amount, total: amount, left: amount };
  const invoice = { invoiceId: invoiceIdOf(0), status: 'PAID' as const, lines: [line], recurring };
  return aChangeRequest({
    wanted: { product: null, quantity, discount: null },
    instant,
    facts: { periodIndex: 0, invoices: [invoice] },
  });
}
