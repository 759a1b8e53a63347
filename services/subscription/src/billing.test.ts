import { periodLine } from './billing';
import { aPrice, aSubscription, day } from './testing';

describe('the line of a period', () => {
  test('charges the whole amount once, under the name that the product had', () => {
    const subscription = aSubscription({ quantity: 3 }, { productName: 'Pro' });
    expect(periodLine(subscription, 1)).toEqual({
      description: 'Pro',
      priceId: subscription.price.id,
      quantity: '1',
      unitAmount: '2900',
      amount: 2900n,
      details: { tiers: [], includedUnits: '0', billedQuantity: '1', exactAmount: '2900' },
      period: { start: day('02-28'), end: day('03-31') },
    });
  });

  test('may be free of charge', () => {
    const subscription = aSubscription({}, { price: aPrice({ amount: 0n }) });
    expect(periodLine(subscription, 0).amount).toBe(0n);
  });
});
