import fc from 'fast-check';
import {
  type NamedItem,
  namedItemProblems,
  type PricedItem,
  pricedItemProblems,
} from './purchase-items';

const monthly = {
  type: 'FLAT',
  amount: 1000n,
  currency: 'USD',
  billingInterval: 'MONTHLY',
  intervalCount: 1,
} as const;

function anItem(productId: string, price: Partial<PricedItem['price']> = {}, quantity = 1) {
  return { productId, price: { ...monthly, ...price }, quantity };
}

const problemsOf = (items: readonly PricedItem[], named: readonly NamedItem[] = []) =>
  pricedItemProblems(items, { named, isOneTimeAllowed: false });

describe('the list of items', () => {
  test.each<[string, NamedItem[], string[]]>([
    ['is not empty', [], ['Must have at least 1 element']],
    ['takes 20 items', Array<NamedItem>(20).fill({ productId: 'a' }), []],
    [
      'takes no more than 20 items',
      Array<NamedItem>(21).fill({ productId: 'a' }),
      ['Must have at most 20 elements'],
    ],
    ['names each product', [{ priceId: 'a' }, {}], ['1.productId: Required']],
    [
      'has whole quantities',
      [{ productId: 'a', quantity: 0 }],
      ['0.quantity: Must be a whole number from 1 to 1000000'],
    ],
  ])('%s', (_name, items, expected) => {
    expect(namedItemProblems(items)).toEqual(expected);
  });
});

describe('items that are bought together', () => {
  test.each<[string, PricedItem[], NamedItem[], string[]]>([
    ['may be different products', [anItem('a'), anItem('b')], [], []],
    [
      'are recurring',
      [anItem('a'), anItem('b', { billingInterval: 'ONE_TIME' })],
      [{ productId: 'a' }, { priceId: 'b' }],
      ['1.priceId: Price is not recurring'],
    ],
    [
      'have one currency',
      [anItem('a'), anItem('b', { currency: 'EUR' })],
      [],
      ['1.productId: Price has another currency'],
    ],
    [
      'are different products',
      [anItem('a'), anItem('b'), anItem('a')],
      [],
      ['2.productId: Product is there twice'],
    ],
    [
      'share one billing interval',
      [anItem('a'), anItem('b', { intervalCount: 2 }), anItem('c', { billingInterval: 'YEARLY' })],
      [],
      [
        '1.productId: Items must share one billing interval',
        '2.productId: Items must share one billing interval',
      ],
    ],
    [
      'cost at most the largest amount each',
      [anItem('a'), anItem('b', { type: 'PER_UNIT', amount: 99_999_999_999n }, 2)],
      [],
      ['1.quantity: The total exceeds the maximum amount'],
    ],
    [
      'cost at most the largest amount together',
      [anItem('a', { amount: 99_999_999_999n }), anItem('b', { amount: 99_999_999_999n })],
      [],
      ['The total exceeds the maximum amount'],
    ],
  ])('%s', (_name, items, named, expected) => {
    expect(problemsOf(items, named)).toEqual(expected);
  });

  test('may be a single one-time purchase where that is allowed', () => {
    const once = anItem('a', { billingInterval: 'ONE_TIME' });
    expect(pricedItemProblems([once], { named: [], isOneTimeAllowed: true })).toEqual([]);
    expect(problemsOf([once])).toEqual(['0.productId: Price is not recurring']);
    expect(pricedItemProblems([once, anItem('b')], { named: [], isOneTimeAllowed: true })).toEqual([
      '0.productId: Price is not recurring',
    ]);
  });

  test('are accepted in one order exactly if they are in any', () => {
    const item = fc.record({
      productId: fc.constantFrom('a', 'b', 'c', 'd'),
      price: fc.record({
        ...{ type: fc.constant('PER_UNIT' as const), amount: fc.bigInt(0n, 1_000n) },
        currency: fc.constantFrom('USD', 'USD', 'EUR'),
        billingInterval: fc.constantFrom('MONTHLY' as const, 'MONTHLY' as const, 'YEARLY' as const),
        intervalCount: fc.constantFrom(1, 1, 2),
      }),
      quantity: fc.integer({ min: 1, max: 1_000 }),
    });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
        const isRefused = problemsOf(items).length > 0;
        expect(problemsOf(items.toReversed()).length > 0).toBe(isRefused);
      }),
    );
  });
});
