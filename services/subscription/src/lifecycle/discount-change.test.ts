import { beginDiscount, isBillDiscounted } from '../billing/bill';
import { upcomingCharge } from '../billing/upcoming-charge';
import { discountEndsAt, runningDiscount } from '../subscription/discount';
import { currentPeriod, mainItem, type Subscription } from '../subscription/subscription';
import type { WantedChange } from '../subscription/subscription-change';
import { redemptionState } from '../subscription/tombstone';
import { aChangeRequest } from '../testing/change-request';
import { aDiscount, aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { cancelChange, requestChange } from './apply-change';
import { cancel } from './cancellation';
import { type ChangeRequest, resolveAt } from './check-change';
import type { PeriodFacts } from './period-charges';
import { takeDueStep } from './due-steps';

const price = aPrice({ amount: 10000n });
const old = aDiscount({ id: 'old', name: 'Old', duration: 'FOREVER' });
const plain = aSubscription({}, { ...at(day('06-01')), price });
const discounted = aSubscription({}, { ...at(day('06-01')), price, discount: old });
const invoiced = (subscription: Subscription): Subscription => ({
  ...subscription,
  openInvoices: [],
  latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
});

type Terms = Parameters<typeof aDiscount>[0];

const adding = (terms: Terms = {}): WantedChange => ({
  ...{ product: null, quantity: null },
  discount: {
    next: { ...aDiscount({ id: 'new', ...terms }), firstPeriodStart: null, holderId: 'holder' },
  },
});
const removing: WantedChange = { product: null, quantity: null, discount: { next: null } };

function factsOf(subscription: Subscription, discountAmount: bigint): PeriodFacts {
  const priced = 10000n - discountAmount;
  const itemId = mainItem(subscription).id;
  const line = { lineItemId: 'line', itemId, priced, total: priced, left: priced };
  const recurring = { lineItemId: 'line', amount: 10000n, discountAmount };
  const invoice = { invoiceId: invoiceIdOf(0), status: 'PAID' as const, lines: [line], recurring };
  return { periodIndex: 0, invoices: [invoice] };
}

function changed(
  subscription: Subscription,
  wanted: WantedChange,
  parts: Partial<ChangeRequest> = {},
) {
  const facts = factsOf(subscription, subscription.discount === null ? 0n : 5000n);
  const request = aChangeRequest({ wanted, facts, requirePayment: false, ...parts });
  return requestChange(invoiced(subscription), request, { now: day('06-16') });
}

/** Totals of the next four periods. */
function renewals(subscription: Subscription): bigint[] {
  const totals: bigint[] = [];
  let current = subscription;
  for (let step = 0; step < 4; step += 1) {
    totals.push(upcomingCharge(current)?.total ?? -1n);
    const { state, commands } = takeDueStep(current, at(currentPeriod(current).end));
    const [bill] = commands;
    expect(bill).toMatchObject({
      type: 'billPeriod',
      payload: { isDiscounted: totals.at(-1) !== 10000n },
    });
    current = state;
  }
  return totals;
}

describe('the periods after a change of the discount', () => {
  test.each<[string, Subscription, WantedChange, bigint[]]>([
    ['are discounted once', plain, adding(), [5000n, 10000n, 10000n, 10000n]],
    [
      'are discounted for two months',
      plain,
      adding({ duration: 'REPEATING', durationInMonths: 2 }),
      [5000n, 5000n, 10000n, 10000n],
    ],
    [
      'are discounted by an amount, forever',
      plain,
      adding({ duration: 'FOREVER', type: 'FIXED', value: '1000' }),
      [9000n, 9000n, 9000n, 9000n],
    ],
    [
      'have the new discount in place of the old one',
      discounted,
      adding({ value: '20', duration: 'REPEATING', durationInMonths: 1 }),
      [8000n, 10000n, 10000n, 10000n],
    ],
    ['have none', discounted, removing, [10000n, 10000n, 10000n, 10000n]],
    [
      'have none while the product is not one of the discount',
      plain,
      adding({ duration: 'FOREVER', productIds: ['other'] }),
      [10000n, 10000n, 10000n, 10000n],
    ],
  ])('%s', (_name, subscription, wanted, totals) => {
    expect(renewals(changed(subscription, wanted).state)).toEqual(totals);
    const { state } = changed(subscription, wanted, { at: 'PERIOD_END' });
    expect(state.discount).toEqual(subscription.discount);
    expect(renewals(state)).toEqual(totals);
  });
});

describe('a change of the discount alone', () => {
  const { state, events, commands } = changed(discounted, adding(), { at: 'AUTO' });

  test('takes effect now, costs nothing, and keeps the recurring revenue', () => {
    const { state: current } = changed(discounted, adding());
    const request = aChangeRequest({ wanted: adding(), at: 'AUTO' });
    expect(resolveAt(discounted, request)).toBe('NOW');
    expect(current.changes.finished).toMatchObject([
      {
        status: 'APPLIED',
        from: { discountId: 'old' },
        to: { discountId: 'new' },
        invoice: null,
        creditNotes: [],
        monthlyAmountBefore: 10000n,
        monthlyAmountAfter: 10000n,
      },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['subscription.updated']);
    expect(commands).toEqual([{ type: 'recordChanges', payload: {} }]);
    expect(discountEndsAt(current)).toBeNull();
  });

  test('keeps the discount of the running period, also for the changes that follow', () => {
    expect(runningDiscount(state)?.id).toBe('old');
    const twice = changed(state, adding({ id: 'third' }), { changeId: 'second' }).state;
    expect(runningDiscount(twice)?.id).toBe('old');
    const product = { productId: 'big', productName: 'Big', price: aPrice({ amount: 30000n }) };
    const bigger = { changeId: 'third', wanted: { product, quantity: null, discount: null } };
    const facts = factsOf(state, 5000n);
    const upgrade = requestChange(
      invoiced(twice),
      aChangeRequest({ ...bigger, facts, requirePayment: false }),
      { now: day('06-16') },
    );
    const { invoice } = upgrade.state.changes.finished.at(-1) ?? {};
    // Half of the old charge net, and half of the new one less half.
    expect(invoice?.lines.map(({ amount, discountAmount }) => [amount, discountAmount])).toEqual([
      [-2500n, 0n],
      [15000n, 7500n],
    ]);
    expect(invoice?.discount?.id).toBe('old');
    const { state: renewed } = takeDueStep(upgrade.state, at(day('07-01')));
    expect(runningDiscount(renewed)?.id).toBe('third');
  });

  test('is not begun by the bill of the running period, where that is recorded late', () => {
    expect(beginDiscount(state, 0)).toBe(state);
    const unbegun = { ...old, firstPeriodStart: null, holderId: null };
    const late = changed({ ...discounted, discount: unbegun }, adding()).state;
    expect(isBillDiscounted(late, { periodIndex: 0, isDiscounted: true, lines: [] })).toBe(true);
    const billed = beginDiscount(late, 0);
    expect(billed.discount).toMatchObject({ id: 'new', firstPeriodStart: null });
    expect(runningDiscount(billed)).toMatchObject({ id: 'old', firstPeriodStart: day('06-01') });
    const more = { product: null, quantity: 2, discount: null };
    const kept = beginDiscount(changed({ ...discounted, discount: unbegun }, more).state, 0);
    expect(kept.discount).toMatchObject({ id: 'old', firstPeriodStart: day('06-01') });
    expect(runningDiscount(kept)).toEqual(kept.discount);
  });

  test('is undone at the end of the period by a change that waits for it with none', () => {
    const none = { ...removing, quantity: 2 };
    const waiting = changed(plain, none, { changeId: 'none', at: 'PERIOD_END' }).state;
    const added = changed(waiting, adding({ duration: 'FOREVER' })).state;
    expect(added.discount?.id).toBe('new');
    expect(takeDueStep(added, at(day('07-01'))).state.discount).toBeNull();
  });

  test('is refused where it changes nothing', () => {
    const same = { product: null, quantity: null, discount: null };
    expect(() => changed(discounted, same)).toThrow('Nothing to change');
    expect(() => changed(plain, removing)).toThrow('Nothing to change');
  });

  test('counts for a new period that begins with it', () => {
    const { state: reset } = changed(discounted, adding(), { proration: 'FULL_AND_RESET' });
    const { invoice, to } = reset.changes.finished[0] ?? {};
    expect(to?.discountId).toBe('new');
    expect(invoice).toMatchObject({
      discount: { id: 'new' },
      lines: [{ amount: 10000n, discountAmount: 5000n }],
    });
    expect(runningDiscount(reset)).toMatchObject({ id: 'new', firstPeriodStart: day('06-16') });
  });

  test('in a trial counts for its first period', () => {
    const trial = { ...price, trialDays: 30 };
    const inTrial = aSubscription({}, { ...at(day('06-01')), price: trial });
    const request = aChangeRequest({ wanted: adding() });
    const { state: after } = requestChange(inTrial, request, { now: day('06-16') });
    const { commands: billed } = takeDueStep(after, at(day('07-01')));
    expect(billed).toMatchObject([{ payload: { isDiscounted: true } }]);
  });
});

describe('the redemption of a discount that a change', () => {
  test('replaced stays used, whether or not the subscription was created with it', () => {
    const { state } = changed(discounted, adding());
    expect(redemptionState(state, { discountId: 'old' })).toBe('CONFIRMED');
    // The change has its own.
    expect(redemptionState(state, { discountId: 'new' })).toBe('RELEASED');
    const third = changed(state, removing, { changeId: 'second' }).state;
    expect(redemptionState(third, { discountId: 'old' })).toBe('CONFIRMED');
  });

  test('waits with is canceled with the change, by a caller, by another change and by the end', () => {
    const { state } = changed(plain, adding(), { at: 'PERIOD_END' });
    const now = day('06-20');
    const canceled = cancelChange(state, 'change', now);
    const replaced = changed(state, removing, { changeId: 'other', at: 'PERIOD_END' });
    const ended = cancel(state, { atPeriodEnd: false, ...at(now) });
    for (const { state: after, commands } of [canceled, replaced, ended]) {
      expect(after.changes.finished).toMatchObject([
        { status: 'CANCELED', wanted: { discount: { next: { holderId: 'holder' } } } },
      ]);
      expect(commands).toContainEqual({ type: 'recordChanges', payload: {} });
    }
  });

  test('added before the start is released by its holder when the subscription ends there', () => {
    const scheduled = aSubscription(
      { startAt: day('08-01') },
      { ...at(day('06-01')), price, discount: old },
    );
    const request = aChangeRequest({ wanted: adding() });
    const { state } = requestChange(scheduled, request, { now: day('06-16') });
    const { commands, state: ended } = cancel(state, { atPeriodEnd: false, ...at(day('06-20')) });
    expect(commands).toContainEqual({
      type: 'releaseRedemption',
      payload: { discountId: 'new', holderId: 'holder' },
    });
    expect(redemptionState(ended, { discountId: 'old' })).toBe('CONFIRMED');
  });
});
