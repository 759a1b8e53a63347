import { type PeriodLine, periodLines, recurringTotal } from './recurring-charge';
import { mainItem, type Subscription } from './subscription';
import { aDiscount, anOtherItem, aPrice, aSubscription, day } from '../testing/fixtures';

function periodLine(subscription: Subscription, periodIndex: number): PeriodLine {
  const [line] = periodLines(subscription, periodIndex);
  if (line === undefined) throw new Error('No line');
  return line;
}

describe('the line of a period', () => {
  test("charges the whole amount once, under the product's name at the start", () => {
    const subscription = aSubscription({ quantity: 3 }, { productName: 'Pro' });
    expect(periodLine(subscription, 1)).toEqual({
      description: 'Pro',
      itemId: mainItem(subscription).id,
      productId: mainItem(subscription).productId,
      kind: 'RECURRING',
      priceId: mainItem(subscription).price.id,
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

  const tiers = [
    { upTo: '2', unitAmount: '1000', flatAmount: '0' },
    { upTo: null, unitAmount: '500.4', flatAmount: '100' },
  ];

  test('charges the amount for each unit', () => {
    const subscription = aSubscription({ quantity: 3 }, { price: aPrice({ type: 'PER_UNIT' }) });
    expect(periodLine(subscription, 0)).toMatchObject({
      quantity: '3',
      unitAmount: '2900',
      amount: 8700n,
      details: { tiers: [], billedQuantity: '3', exactAmount: '8700' },
    });
  });

  test('charges each graduated tier for its own units, and rounds their sum once', () => {
    const price = aPrice({ type: 'TIERED', tiers });
    expect(periodLine(aSubscription({ quantity: 3 }, { price }), 0)).toMatchObject({
      quantity: '3',
      unitAmount: undefined,
      amount: 2600n,
      details: {
        exactAmount: '2600.4',
        tiers: [
          { upTo: '2', quantity: '2', unitAmount: '1000', flatAmount: '0', amount: '2000' },
          { upTo: null, quantity: '1', unitAmount: '500.4', flatAmount: '100', amount: '600.4' },
        ],
      },
    });
  });

  test('charges all units in the tier that the quantity reaches', () => {
    const price = aPrice({ type: 'VOLUME', tiers });
    expect(periodLine(aSubscription({ quantity: 3 }, { price }), 0)).toMatchObject({
      unitAmount: undefined,
      amount: 1601n,
      details: { exactAmount: '1601.2', tiers: [{ upTo: null, quantity: '3' }] },
    });
  });

  test.each(['TIERED', 'VOLUME'] as const)(
    'treats %s without tiers as one open-ended tier',
    (type) => {
      const subscription = aSubscription({ quantity: 2 }, { price: aPrice({ type }) });
      expect(periodLine(subscription, 0)).toMatchObject({
        unitAmount: undefined,
        amount: 5800n,
        details: { tiers: [{ upTo: null, quantity: '2', unitAmount: '2900', amount: '5800' }] },
      });
    },
  );
});

describe('a period of several items', () => {
  const seats = anOtherItem({
    productName: 'Seats',
    price: aPrice({ id: 'seats', type: 'PER_UNIT', amount: 500n }),
    quantity: 3,
  });
  const items = { otherItems: [seats] };

  test('has one line for each item, in their order', () => {
    const lines = periodLines(aSubscription({}, items), 1);
    expect(lines.map(({ description, amount }) => [description, amount])).toEqual([
      ['Pro', 2900n],
      ['Seats', 1500n],
    ]);
    expect(lines.map(({ itemId, productId }) => [itemId, productId])[1]).toEqual([
      seats.id,
      seats.productId,
    ]);
    expect(recurringTotal(aSubscription({}, items), 1)).toBe(4400n);
  });

  test.each([
    ['all products', [], 2200n],
    ['the main product', [aSubscription().items[0].productId], 1450n + 1500n],
    ['another product', [seats.productId], 2900n + 750n],
  ])('is discounted for %s alone', (_name, productIds, total) => {
    const discount = aDiscount({ productIds, duration: 'FOREVER' });
    expect(recurringTotal(aSubscription({}, { ...items, discount }), 0)).toBe(total);
  });

  test('does not begin a discount whose product costs nothing', () => {
    const discount = aDiscount({ productIds: [seats.productId] });
    const free = { ...seats, price: aPrice({ amount: 0n }) };
    const subscription = aSubscription({}, { otherItems: [free], discount });
    expect(subscription.discount?.firstPeriodStart).toBeNull();
    expect(recurringTotal(subscription, 0)).toBe(2900n);
  });
});
