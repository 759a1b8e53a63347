import { redemptionState, tombstone } from './tombstone';
import { cancel } from './cancellation';
import { aDiscount, aSubscription, at, day } from './testing';

const discountId = aDiscount().id;

describe('a redemption that is held for a subscription', () => {
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
