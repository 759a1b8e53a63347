import { redemptionState, tombstone } from './tombstone';
import { aDiscount, aSubscription } from './testing';

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
    ['is free where it never began', tombstone('id').state, 'RELEASED'],
  ])('%s', (_name, record, state) => {
    expect(redemptionState(record, { discountId })).toBe(state);
  });
});
