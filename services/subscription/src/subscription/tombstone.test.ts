import { redemptionState, tombstone } from './tombstone';
import { cancel } from '../lifecycle/cancellation';
import { takeDueStep } from '../lifecycle/due-steps';
import type { Subscription } from './subscription';
import { aDiscount, aPrice, aSubscription, at, day } from '../testing/fixtures';

const discountId = aDiscount().id;

describe('a redemption reserved for a subscription', () => {
  test.each([
    [
      'is used where the subscription began with it',
      aSubscription({}, { discount: aDiscount() }),
      'CONFIRMED',
    ],
    [
      'is free where it began with another',
      aSubscription({}, { discount: aDiscount({ id: 'other' }) }),
      'RELEASED',
    ],
    ['is free where it began with none', aSubscription(), 'RELEASED'],
    [
      'is free where it was canceled before its start',
      cancel(aSubscription({ startAt: day('03-31') }, { discount: aDiscount() }), {
        atPeriodEnd: false,
        ...at(day('02-10')),
      }).state,
      'RELEASED',
    ],
    ['is free where it never began', tombstone('id').state, 'RELEASED'],
  ])('%s', (_name, record, state) => {
    expect(redemptionState(record, { discountId })).toBe(state);
  });
});

describe('a redemption of a subscription that is canceled at the instant of its start', () => {
  const discount = aDiscount();
  const startAt = day('03-31');
  const price = aPrice({ trialDays: 14 });
  const scheduled = aSubscription({ startAt }, { discount });
  const scheduledTrial = aSubscription({ startAt }, { discount, price });
  const started = (subscription: Subscription) => takeDueStep(subscription, at(startAt)).state;
  const flagged = (subscription: Subscription) => ({ ...subscription, cancelAtPeriodEnd: true });
  const canceled = (subscription: Subscription) =>
    cancel(subscription, { atPeriodEnd: false, ...at(startAt) });

  test.each([
    ['before the start, without a trial', canceled(scheduled), 'RELEASED'],
    ['before the start, with a trial', canceled(scheduledTrial), 'RELEASED'],
    [
      'before the start, as an earlier release flagged it, with a trial',
      takeDueStep(flagged(scheduledTrial), at(startAt)),
      'RELEASED',
    ],
    ['after the start, without a trial', canceled(started(scheduled)), 'CONFIRMED'],
    ['after the start, with a trial', canceled(started(scheduledTrial)), 'CONFIRMED'],
  ])('follows the write that was stored first: %s', (_name, { state, commands }, expected) => {
    expect(state).toMatchObject({ status: 'CANCELED', endedAt: startAt });
    expect(redemptionState(state, { discountId })).toBe(expected);
    const releases = commands.filter(({ type }) => type === 'releaseRedemption');
    expect(releases).toHaveLength(expected === 'RELEASED' ? 1 : 0);
  });
});
