import { mainItem, type Subscription } from '../subscription/subscription';
import type { WantedChange } from '../subscription/subscription-change';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, day } from '../testing/fixtures';
import { requestChange } from './apply-change';
import { itemsAtRenewal } from './check-change';

const subscription = aSubscription(
  { quantity: 5 },
  { price: aPrice({ type: 'PER_UNIT', amount: 1000n }) },
);
const other = {
  productId: 'other',
  productName: 'Other',
  price: aPrice({ id: 'other-price', type: 'PER_UNIT', amount: 400n }),
};

function waitingFor(wanted: WantedChange): Subscription {
  const request = aChangeRequest({ changeId: 'waiting', wanted, at: 'PERIOD_END' });
  return requestChange(subscription, request, { now: day('02-10') }).state;
}

describe('the items of the next period', () => {
  const seats = (quantity: number): WantedChange => ({ product: null, quantity, discount: null });
  const toOther: WantedChange = { product: other, quantity: null, discount: null };

  test.each<[string, Subscription, WantedChange, 'NOW' | 'PERIOD_END' | 'AUTO', [string, number]]>([
    ['are those of a change now', subscription, seats(8), 'NOW', ['', 8]],
    ['follow a change that waits', waitingFor(seats(2)), seats(8), 'NOW', ['', 2]],
    [
      'keep seats added before another product',
      waitingFor(toOther),
      seats(8),
      'AUTO',
      ['other', 8],
    ],
    ['are those of a change that replaces it', waitingFor(toOther), seats(3), 'AUTO', ['', 3]],
    ['are those of another product now', waitingFor(seats(2)), toOther, 'NOW', ['other', 5]],
  ])('%s', (_name, current, wanted, at, [productId, quantity]) => {
    const [item] = itemsAtRenewal(current, { kind: 'UPDATE', wanted, at, proration: 'PRORATE' });
    expect(item.productId).toBe(productId === '' ? mainItem(subscription).productId : productId);
    expect(item.quantity).toBe(quantity);
  });
});
