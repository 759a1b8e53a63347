import { requestChange } from '../lifecycle/apply-change';
import { cancel } from '../lifecycle/cancellation';
import { recordOverLimitBill } from '../over-limit/over-limit-bill';
import { takeDueStep } from '../lifecycle/due-steps';
import { aChangeRequest } from '../testing/change-request';
import { aDiscount, aPrice, aSubscription, at, day } from '../testing/fixtures';
import { upcomingCharge } from './upcoming-charge';
import type { Refund } from '../subscription/usage-billing';

const unit = { type: 'PER_UNIT', amount: 1000n } as const;
const refund: Refund = {
  description: 'Calls',
  meterId: 'meter',
  priceId: 'price',
  period: { start: day('01-01'), end: day('01-31') },
  amount: -500n,
};

test('the coming period costs the amount of its invoice, with the quantity', () => {
  const subscription = aSubscription({ quantity: 7 }, { price: aPrice(unit) });
  expect(upcomingCharge(subscription)).toEqual({
    at: day('02-28'),
    subtotal: 7000n,
    discountAmount: 0n,
    total: 7000n,
    discountName: null,
  });
});

test('a tiered charge is computed from its tiers', () => {
  const tiers = [
    { upTo: '10', unitAmount: '500', flatAmount: '0' },
    { upTo: null, unitAmount: '400', flatAmount: '1000' },
  ];
  const price = aPrice({ type: 'TIERED', tiers });
  expect(upcomingCharge(aSubscription({ quantity: 20 }, { price }))?.total).toBe(10_000n);
});

describe('a discount', () => {
  test('counts in the coming period as on its invoice', () => {
    const discount = aDiscount({ duration: 'FOREVER', value: '33.33' });
    expect(upcomingCharge(aSubscription({}, { discount }))).toMatchObject({
      subtotal: 2900n,
      discountAmount: 967n,
      total: 1933n,
      discountName: 'Half off',
    });
  });

  test('for one invoice is used up by the first one, and still to come after a trial', () => {
    const discount = aDiscount();
    const total = (subscription: ReturnType<typeof aSubscription>) =>
      upcomingCharge(subscription)?.total;
    expect(total(aSubscription({}, { discount }))).toBe(2900n);
    const price = aPrice({ trialDays: 14 });
    expect(total(aSubscription({}, { discount, price }))).toBe(1450n);
  });

  test('for several months ends with these', () => {
    const discount = aDiscount({ duration: 'REPEATING', durationInMonths: 2 });
    const first = aSubscription({}, { discount });
    const second = takeDueStep(first, at(day('02-28'))).state;
    expect([upcomingCharge(first)?.total, upcomingCharge(second)?.total]).toEqual([1450n, 2900n]);
  });

  test('of a fixed amount deducts at most the charge', () => {
    const discount = aDiscount({ duration: 'FOREVER', type: 'FIXED', value: '5000' });
    expect(upcomingCharge(aSubscription({}, { discount }))?.total).toBe(0n);
  });
});

test('credit for overcharged usage is deducted before the discount', () => {
  const discount = aDiscount({ duration: 'FOREVER' });
  const subscription = aSubscription({}, { discount });
  const { usage } = subscription;
  const owed = { ...subscription, usage: { ...usage, refunds: [refund] } };
  expect(upcomingCharge(owed)).toMatchObject({
    subtotal: 2400n,
    discountAmount: 1200n,
    total: 1200n,
  });
});

test('a change that waits for the coming period sets its charge', () => {
  const subscription = aSubscription({ quantity: 7 }, { price: aPrice(unit) });
  const request = aChangeRequest({ at: 'PERIOD_END' });
  const waiting = requestChange(subscription, request, at(day('02-01'))).state;
  expect(upcomingCharge(waiting)).toMatchObject({ at: day('02-28'), total: 3000n });
  const { state } = takeDueStep(waiting, at(day('02-28')));
  expect(upcomingCharge(state)?.total).toBe(3000n);
});

test('the end of a pause sets the charge, whether the pause waits or runs', () => {
  const discount = aDiscount({ duration: 'REPEATING', durationInMonths: 2 });
  const first = aSubscription({}, { discount });
  const pause = {
    kind: 'PAUSE',
    at: 'PERIOD_END',
    wanted: { product: null, quantity: null, discount: null },
  } as const;
  const request = aChangeRequest({ ...pause, resumeAt: day('06-10') });
  const waiting = requestChange(first, request, at(day('02-01'))).state;
  const running = takeDueStep(waiting, at(day('02-28'))).state;
  const billed = takeDueStep(running, at(day('06-10'))).state;
  const charged = { at: day('06-10'), discountAmount: 0n, total: 2900n };
  expect(upcomingCharge(waiting)).toMatchObject(charged);
  expect(upcomingCharge(running)).toMatchObject(charged);
  expect(billed.phase).toBe('REGULAR');
});

test('a trial is charged at its end, a later start at the start', () => {
  const trial = aSubscription({}, { price: aPrice({ trialDays: 14 }) });
  expect(upcomingCharge(trial)).toMatchObject({ at: day('02-14'), total: 2900n });
  const scheduled = aSubscription({ startAt: day('03-15') });
  expect(upcomingCharge(scheduled)).toMatchObject({ at: day('03-15'), total: 2900n });
});

test.each([true, false])('no charge follows a cancellation, at period end %s', (atPeriodEnd) => {
  const ended = cancel(aSubscription(), { atPeriodEnd, ...at(day('02-01')) }).state;
  expect(upcomingCharge(ended)).toBeNull();
});

test.each([true, false])(
  'no charge follows a cancellation before the start, at period end %s',
  (atPeriodEnd) => {
    const scheduled = aSubscription({ startAt: day('03-15') });
    const ended = cancel(scheduled, { atPeriodEnd, ...at(day('02-01')) }).state;
    expect(upcomingCharge(ended)).toBeNull();
  },
);

test('no charge follows while billing is parked', () => {
  const failed = { bill: 1, settled: [], closing: null, now: day('02-28') };
  expect(upcomingCharge(recordOverLimitBill(aSubscription(), failed))).toBeNull();
});
