import {
  BillingInterval,
  Price,
  PricingType,
  Tier,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  Discount,
  DiscountDuration,
  DiscountType,
} from '@billing/proto/billing/discount/v1/discount';
import { priceTerms, purchaseTerms, quantityTerms } from './purchase-terms';
import type { UsageRate } from './usage-terms';
import { english } from '@billing/documents/testing/english';

const from = new Date('2026-01-31T10:00:00Z');

function aPrice(change: Partial<Price> = {}): Price {
  return Price.fromPartial({
    type: PricingType.PRICING_TYPE_FLAT,
    currency: 'USD',
    amount: 2900n,
    billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
    intervalCount: 1,
    ...change,
  });
}

function half(duration: DiscountDuration, durationInMonths?: number): Discount {
  return Discount.fromPartial({
    type: DiscountType.DISCOUNT_TYPE_PERCENTAGE,
    value: '50',
    duration,
    durationInMonths,
  });
}

function inTiers(type: PricingType): Price {
  const tiers = [
    { upTo: '10', unitAmount: '500' },
    { unitAmount: '400', flatAmount: '1000' },
  ];
  return aPrice({ type, tiers: tiers.map((tier) => Tier.fromPartial(tier)) });
}

const { DISCOUNT_DURATION_ONCE, DISCOUNT_DURATION_REPEATING, DISCOUNT_DURATION_FOREVER } =
  DiscountDuration;
const oneTime = { billingInterval: BillingInterval.BILLING_INTERVAL_ONE_TIME };
const yearly = { billingInterval: BillingInterval.BILLING_INTERVAL_YEARLY };
const quarterly = { billingInterval: BillingInterval.BILLING_INTERVAL_QUARTERLY };

test.each([
  [aPrice(), undefined, '$29.00 every month'],
  [aPrice({ intervalCount: 2 }), undefined, '$29.00 every 2 months'],
  [aPrice({ ...quarterly, intervalCount: 2 }), undefined, '$29.00 every 6 months'],
  [aPrice(yearly), undefined, '$29.00 every year'],
  [aPrice(oneTime), undefined, '$29.00 once'],
  [
    aPrice({ trialDays: 14 }),
    undefined,
    '14 days free, then $29.00 every month from February 14, 2026',
  ],
  [
    aPrice(),
    half(DISCOUNT_DURATION_ONCE),
    '$14.50 today, then $29.00 every month from February 28, 2026',
  ],
  [
    aPrice(),
    half(DISCOUNT_DURATION_REPEATING, 3),
    '$14.50 every month, then $29.00 every month from April 30, 2026',
  ],
  [
    aPrice(yearly),
    half(DISCOUNT_DURATION_REPEATING, 3),
    '$14.50 today, then $29.00 every year from January 31, 2027',
  ],
  [aPrice(), half(DISCOUNT_DURATION_FOREVER), '$14.50 every month'],
  [aPrice(oneTime), half(DISCOUNT_DURATION_ONCE), '$14.50 once'],
  [
    aPrice({ trialDays: 1 }),
    half(DISCOUNT_DURATION_ONCE),
    '1 day free, then $14.50 on February 1, 2026, then $29.00 every month from March 1, 2026',
  ],
])('%#: a purchase costs %s', (price, discount, summary) => {
  expect(english(purchaseTerms({ price, discount, quantity: 1, rates: [], from }).summary)).toBe(
    summary,
  );
});

test('a per-unit price is multiplied by the quantity', () => {
  const price = aPrice({ type: PricingType.PRICING_TYPE_PER_UNIT });
  const { summary } = purchaseTerms({ price, discount: undefined, quantity: 3, rates: [], from });
  expect(english(summary)).toBe('$87.00 every month');
});

test('a fixed discount is limited to the amount', () => {
  const discount = Discount.fromPartial({
    type: DiscountType.DISCOUNT_TYPE_FIXED,
    value: '9900',
    duration: DISCOUNT_DURATION_ONCE,
  });
  const terms = purchaseTerms({ price: aPrice(), discount, quantity: 1, rates: [], from });
  expect(english(terms.summary)).toBe(
    '$0.00 today, then $29.00 every month from February 28, 2026',
  );
});

test.each([
  [aPrice(), undefined, undefined],
  [aPrice(oneTime), undefined, undefined],
  [aPrice(), half(DISCOUNT_DURATION_FOREVER), undefined],
  [aPrice(), half(DISCOUNT_DURATION_ONCE), 'Then $29.00 every month from February 28, 2026'],
  [
    aPrice(),
    half(DISCOUNT_DURATION_REPEATING, 3),
    'The same at each renewal, then $29.00 every month from April 30, 2026',
  ],
  [
    aPrice({ trialDays: 14 }),
    undefined,
    '14 days free, then $29.00 every month from February 14, 2026',
  ],
])('%#: after the amount due today the terms say what differs later', (price, discount, later) => {
  expect(english(purchaseTerms({ price, discount, quantity: 1, rates: [], from }).later)).toBe(
    later,
  );
});

test.each([
  [aPrice(), []],
  [aPrice({ type: PricingType.PRICING_TYPE_PER_UNIT }), ['$29.00 each']],
  [
    inTiers(PricingType.PRICING_TYPE_VOLUME),
    ['All units up to 10: $5.00 each', 'All units above 10: $4.00 each, plus $10.00'],
  ],
  [
    inTiers(PricingType.PRICING_TYPE_TIERED),
    ['Units up to 10: $5.00 each', 'Units above 10: $4.00 each, plus $10.00'],
  ],
])('%#: the price of a quantity is explained', (price, lines) => {
  expect(english(quantityTerms(price))).toEqual(lines);
});

test.each([
  [inTiers(PricingType.PRICING_TYPE_VOLUME), '$90.00 every month'],
  [inTiers(PricingType.PRICING_TYPE_TIERED), '$100.00 every month'],
  [aPrice(), '$29.00 every month'],
])('%#: 20 units cost %s', (price, text) => {
  expect(english(priceTerms(price, 20))).toBe(text);
});

test.each([
  [aPrice(), undefined, true],
  [aPrice({ amount: 0n }), undefined, false],
  [aPrice(oneTime), undefined, false],
  [aPrice({ trialDays: 14 }), half(DISCOUNT_DURATION_ONCE), true],
])('%#: the terms say whether later charges follow', (price, discount, isChargedLater) => {
  expect(english(purchaseTerms({ price, discount, quantity: 1, rates: [], from }))).toMatchObject({
    isChargedLater,
  });
});

test.each([
  [aPrice(), undefined, 'Renews every month at the same price. Next charge on February 28, 2026.'],
  [
    aPrice({ trialDays: 14 }),
    half(DISCOUNT_DURATION_ONCE),
    'Renews every month. Next charge on February 14, 2026.',
  ],
  [aPrice(), half(DISCOUNT_DURATION_ONCE), 'Renews every month. Next charge on February 28, 2026.'],
  [
    aPrice(),
    half(DISCOUNT_DURATION_REPEATING, 3),
    'Renews every month. Next charge on February 28, 2026.',
  ],
  [
    aPrice({ amount: 0n }),
    undefined,
    'Renews every month at the same price. Next renewal on February 28, 2026.',
  ],
])('%#: the renewal names the next charge and its date', (price, discount, text) => {
  const { renewal } = purchaseTerms({ price, discount, quantity: 1, rates: [], from });
  expect(english(renewal)).toBe(`${text} Cancel anytime.`);
});

const rates: UsageRate[] = [
  {
    name: 'Storage',
    unit: 'GB',
    price: {
      type: 'PER_UNIT',
      unitAmount: '25',
      tiers: null,
      includedUnits: '10',
      packageSize: null,
      minimumAmount: null,
      maximumAmount: null,
    },
  },
];

test.each([
  [{}, '$29.00 every month, plus usage', 'Usage is billed afterwards, every month:'],
  [
    { amount: 0n, trialDays: 14 },
    '14 days free, then $0.00 every month from February 14, 2026, plus usage',
    'Usage after the trial is billed afterwards, every month:',
  ],
])('%#: the terms name usage rates and later charges', (change, summary, billing) => {
  const terms = purchaseTerms({
    price: aPrice(change),
    discount: undefined,
    quantity: 1,
    rates,
    from,
  });
  expect(english(terms)).toMatchObject({
    summary,
    usage: { billing, rates: ['Storage (GB): 10 included every month, then $0.25 each'] },
    isChargedLater: true,
  });
});

test('a one-time purchase has no usage rates', () => {
  const price = aPrice(oneTime);
  const terms = purchaseTerms({ price, discount: undefined, quantity: 1, rates, from });
  expect(english(terms)).toMatchObject({
    summary: '$29.00 once',
    usage: undefined,
    isChargedLater: false,
  });
});

test('the terms of a price contain no dates', () => {
  expect(english(priceTerms(aPrice({ trialDays: 14 })))).toBe(
    '14 days free, then $29.00 every month',
  );
  expect(english(priceTerms(aPrice(oneTime)))).toBe('$29.00');
});
