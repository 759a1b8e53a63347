import { discountEndsAt, takeDiscount } from '../subscription/discount';
import { mainItem, type Subscription } from '../subscription/subscription';
import { aChangeRequest } from '../testing/change-request';
import { aDiscount, aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { toProtoChangeInvoice } from '../peer/checkout';
import { requestChange } from './apply-change';
import { cancel } from './cancellation';
import { type ChangeRequest, checkRequest, resolveAt } from './check-change';
import type { PeriodFacts } from './period-charges';
import { takeDueStep } from './due-steps';

const start = day('06-01');
const middle = day('06-16');

function paid(subscription: Subscription): Subscription {
  return {
    ...subscription,
    openInvoices: [],
    latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
  };
}

const running = paid(aSubscription({}, { ...at(start), price: aPrice({ amount: 10000n }) }));

function factsOf(subscription: Subscription, amount: bigint, discountAmount = 0n): PeriodFacts {
  const priced = amount - discountAmount;
  const itemId = mainItem(subscription).id;
  const line = { lineItemId: 'line', itemId, priced, total: priced, left: priced };
  const recurring = { lineItemId: 'line', amount, discountAmount };
  const invoice = { invoiceId: invoiceIdOf(0), status: 'PAID' as const, lines: [line], recurring };
  return { periodIndex: 0, invoices: [invoice] };
}

const product = (amount: bigint, billingInterval: 'MONTHLY' | 'YEARLY' | 'WEEKLY') => ({
  productId: 'other',
  productName: 'Other',
  price: aPrice({ id: `price-${billingInterval}`, amount, billingInterval }),
});

const toYear = (parts: Partial<ChangeRequest> = {}) =>
  aChangeRequest({
    wanted: { product: product(100000n, 'YEARLY'), quantity: null, discount: null },
    facts: factsOf(running, 10000n),
    requirePayment: false,
    ...parts,
  });

describe('a change to another billing interval now', () => {
  const { state, events, commands } = requestChange(running, toYear(), { now: middle });

  test('enters a period of the new interval that begins with it', () => {
    expect(state).toMatchObject({ phase: 'REGULAR', periodIndex: 1, anchor: start });
    expect(state.changes.finished).toMatchObject([
      {
        status: 'APPLIED',
        to: { currentPeriodStart: middle, currentPeriodEnd: new Date('2027-06-16') },
      },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'subscription.updated',
      'subscription.renewed',
    ]);
    expect(commands.map(({ type }) => type)).toEqual(['invoiceChange', 'recordChanges']);
  });

  test('charges a whole period, less the unused time', () => {
    const [change] = state.changes.finished;
    expect(change?.invoice?.lines).toMatchObject([
      { kind: 'RECURRING', amount: 100000n, proration: null, charge: { unitAmount: '100000' } },
      { kind: 'UNUSED_TIME', amount: -5000n, taxedAs: { lineItemId: 'line' } },
    ]);
  });

  test('gives back later what its own period has charged', () => {
    expect(state.changes.period).toMatchObject({
      periodIndex: 1,
      charges: [{ from: middle.getTime(), gross: 100000n, net: 100000n }],
      invoiceIds: [invoiceIdOf(0), 'invoice-of-change'],
    });
  });

  test('is followed by a renewal at the end of the new period', () => {
    const later = new Date('2027-06-16T00:00:00.000Z');
    const warned = takeDueStep(state, at(later)).state;
    const renewal = takeDueStep(warned, at(later));
    expect(renewal.state).toMatchObject({ periodIndex: 2, changes: { period: null } });
  });

  test('is voided with a cancellation in its period, like any invoice of a period', () => {
    const canceled = cancel(state, { atPeriodEnd: false, ...at(day('06-20')) });
    expect(canceled.commands).toContainEqual({
      type: 'close',
      payload: { invoiceId: 'invoice-of-change', periodIndex: 1, isOwed: true },
    });
  });
});

test('a new cycle takes a discount of one period only once', () => {
  const discount = aDiscount();
  const discounted = paid(
    aSubscription({}, { ...at(start), price: aPrice({ amount: 10000n }), discount }),
  );
  const request = toYear({ facts: factsOf(discounted, 10000n, 5000n) });
  const { state } = requestChange(discounted, request, { now: middle });
  expect(state.changes.finished[0]?.invoice).toMatchObject({
    discount: null,
    lines: [{ amount: 100000n, discountAmount: 0n }, { amount: -2500n }],
  });
});

test.each(['FULL_AND_RESET', 'PRORATE'] as const)(
  'a new cycle at the start of the discounted period takes the discount no second time: %s',
  (proration) => {
    const price = aPrice({ amount: 10000n });
    const discounted = paid(aSubscription({}, { ...at(start), price, discount: aDiscount() }));
    const facts = factsOf(discounted, 10000n, 5000n);
    const changed = requestChange(discounted, toYear({ proration, facts }), { now: start }).state;
    expect(changed.changes.finished[0]?.invoice).toMatchObject({
      discount: null,
      lines: [{ amount: 100000n, discountAmount: 0n }, ...(proration === 'PRORATE' ? [{}] : [])],
    });
    // The period does not become a discounted one later, and the earlier one stays one.
    expect([0, 1, 2].map((index) => takeDiscount(changed, index).isDiscounted)).toEqual([
      ...[true, false, false],
    ]);
    expect(discountEndsAt(changed)).toEqual(start);
    const larger = { ...product(200000n, 'YEARLY'), productId: 'larger' };
    const upgrade = toYear({
      changeId: 'upgrade',
      wanted: { product: larger, quantity: null, discount: null },
      facts: { ...factsOf(changed, 100000n), periodIndex: 1 },
    });
    const { state } = requestChange(changed, upgrade, { now: middle });
    const lines = state.changes.finished.at(-1)?.invoice?.lines;
    expect(lines?.map(({ discountAmount }) => discountAmount)).toEqual([0n, 0n]);
  },
);

test('a new cycle names its discount, and that of the lines put off, each with its own lines', () => {
  const former = aDiscount({ duration: 'FOREVER' });
  const discounted = paid(
    aSubscription({}, { ...at(start), price: aPrice({ amount: 10000n }), discount: former }),
  );
  const facts = factsOf(discounted, 10000n, 5000n);
  const upgrade = toYear({
    ...{ changeId: 'upgrade', collect: 'NEXT_INVOICE', facts },
    wanted: { product: product(30000n, 'MONTHLY'), quantity: null, discount: null },
  });
  const waiting = requestChange(discounted, upgrade, { now: middle }).state;
  const launch = aDiscount({ id: 'launch', name: 'Launch', value: '20', duration: 'FOREVER' });
  const next = { ...launch, firstPeriodStart: null, holderId: 'holder' };
  const cycle = toYear({
    ...{ changeId: 'cycle', proration: 'FULL_AND_RESET', facts },
    wanted: { product: null, quantity: null, discount: { next } },
  });
  const { state } = requestChange(waiting, cycle, { now: middle });
  const invoice = state.changes.finished.at(-1)?.invoice ?? null;
  if (invoice === null) throw new Error('Nothing is billed');
  expect(toProtoChangeInvoice(state, invoice)).toMatchObject({
    discount: { discountId: 'launch' },
    sharesDiscount: { discountId: former.id },
    lineItems: [
      { amount: 30000n, discountAmount: 6000n },
      { amount: -2500n, discountAmount: 0n },
      { amount: 15000n, discountAmount: 7500n },
    ],
  });
});

test('a full charge of the same interval gives nothing back', () => {
  const request = toYear({
    wanted: { product: product(20000n, 'MONTHLY'), quantity: null, discount: null },
    proration: 'FULL_AND_RESET',
  });
  const { state } = requestChange(running, request, { now: middle });
  expect(state.changes.finished[0]).toMatchObject({
    creditNotes: [],
    invoice: { lines: [{ kind: 'RECURRING', amount: 20000n }], periodEnd: day('07-16') },
  });
});

test('without proration the items change, and the charges stay', () => {
  const request = toYear({
    wanted: { product: product(20000n, 'MONTHLY'), quantity: null, discount: null },
    proration: 'NONE',
  });
  const { state } = requestChange(running, request, { now: middle });
  expect(state).toMatchObject({ periodIndex: 0, items: [{ productId: 'other' }] });
  expect(state.changes.period?.charges).toMatchObject([{ gross: 10000n }]);
  expect(state.changes.finished[0]).toMatchObject({ invoice: null, creditNotes: [] });
});

test('another interval at the end of the period begins a cycle there', () => {
  const wanted = { product: product(3000n, 'WEEKLY'), quantity: null, discount: null };
  const waiting = requestChange(running, toYear({ wanted, at: 'PERIOD_END' }), { now: middle });
  expect(waiting.state.changes.waiting?.to).toMatchObject({
    currentPeriodStart: day('07-01'),
    currentPeriodEnd: day('07-08'),
  });
  const { state } = takeDueStep(waiting.state, at(day('07-01')));
  expect(state).toMatchObject({ periodIndex: 1, cycles: [{}, { anchor: day('07-01') }] });
});

test.each([
  ['a longer interval', product(1n, 'YEARLY'), 'NOW'],
  ['a shorter interval', product(90000n, 'WEEKLY'), 'PERIOD_END'],
  ['more a month', product(20000n, 'MONTHLY'), 'NOW'],
  ['less a month', product(2000n, 'MONTHLY'), 'PERIOD_END'],
] as const)('by AUTO, %s takes effect %s', (_name, wanted, expected) => {
  const request = toYear({
    wanted: { product: wanted, quantity: null, discount: null },
    at: 'AUTO',
  });
  expect(resolveAt(running, request)).toBe(expected);
});

test('the fourth new cycle within a day is refused', () => {
  let state = running;
  for (let hour = 1; hour <= 3; hour += 1) {
    const now = new Date(middle.getTime() + hour * 3_600_000);
    const changeId = `change-${String(hour)}`;
    const request = toYear({ changeId, proration: 'FULL_AND_RESET', facts: null });
    state = requestChange(state, request, { now }).state;
  }
  const again = toYear({ changeId: 'fourth', proration: 'FULL_AND_RESET' });
  const now = new Date(middle.getTime() + 4 * 3_600_000);
  expect(() => checkRequest(state, again, now)).toThrow('Too many changes in this period');
  const tomorrow = new Date(now.getTime() + 24 * 3_600_000);
  expect(checkRequest(state, again, tomorrow)).toBe('NOW');
});
