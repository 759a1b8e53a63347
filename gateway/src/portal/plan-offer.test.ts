import {
  BillingInterval,
  Price,
  PricingType,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { chargedMethod, itemTerms, mayChange, planOffer, readWantedPlan } from './plan-offer';
import { english } from '@billing/documents/testing/english';

const { PRICING_TYPE_FLAT: flat, PRICING_TYPE_PER_UNIT: perUnit } = PricingType;
const {
  BILLING_INTERVAL_MONTHLY: monthly,
  BILLING_INTERVAL_YEARLY: yearly,
  BILLING_INTERVAL_ONE_TIME: once,
} = BillingInterval;

const priced = (more: Partial<Price> = {}) =>
  Price.fromPartial({
    type: flat,
    amount: 2900n,
    currency: 'USD',
    billingInterval: monthly,
    intervalCount: 1,
    ...more,
  });
const product = (id: string, price: Partial<Price> = {}, active = true) =>
  Product.fromPartial({ id, name: `Plan ${id}`, active, price: priced(price) });
const plan = (price: Partial<Price> = {}) =>
  Plan.fromPartial({
    productName: 'Basic',
    itemNames: ['Basic'],
    subscription: { productId: 'basic', quantity: 3, price: priced(price) },
  });
const products = [
  product('pro'),
  product('basic'),
  product('yearly', { billingInterval: yearly }),
  product('quarter', { intervalCount: 3 }),
  product('once', { billingInterval: once }),
  product('euro', { currency: 'EUR' }),
  product('gone', {}, false),
  product('team', { type: perUnit, amount: 900n }),
];
const all = { products: ['team', 'unknown', ...products.map(({ id }) => id)], quantity: false };
const idsOf = (...args: Parameters<typeof planOffer>) =>
  planOffer(...args).plans.map(({ productId }) => productId);

describe('the plans that are offered for a subscription', () => {
  test('are active, recurring, of its currency, in the order of the settings', () => {
    const settings = {
      ...all,
      products: ['team', 'gone', 'once', 'euro', 'yearly', 'quarter', 'pro'],
    };
    expect(idsOf(plan(), { settings, products })).toEqual(['team', 'yearly', 'quarter', 'pro']);
  });

  test('are billed together with the other items, and are none of them', () => {
    const { subscription, ...named } = plan();
    const items = ['basic', 'team'].map((productId) => ({ productId, price: priced() }));
    const several = Plan.fromPartial({ ...named, subscription: { ...subscription, items } });
    expect(idsOf(several, { settings: all, products })).toEqual(['pro']);
  });

  test('have the current one with its own price, if its quantity may change', () => {
    const settings = { products: ['basic', 'pro'], quantity: true };
    const offer = planOffer(plan({ type: perUnit, amount: 500n }), { settings, products });
    expect(offer.hasQuantity).toBe(true);
    expect(offer.plans).toMatchObject([
      { productId: 'basic', name: 'Basic', isCurrent: true, price: { amount: 500n } },
      { productId: 'pro', isCurrent: false },
    ]);
    expect(planOffer(plan(), { settings, products })).toMatchObject({
      plans: [{ productId: 'pro' }],
      hasQuantity: false,
    });
  });
});

test.each([
  [{ products: [], quantity: false }, perUnit, false],
  [{ products: [], quantity: true }, perUnit, true],
  [{ products: [], quantity: true }, flat, false],
  [{ products: ['pro'], quantity: false }, flat, true],
])('with the settings %j a plan of type %s may change: %s', (settings, type, expected) => {
  expect(mayChange(settings, { price: priced({ type }) })).toBe(expected);
});

describe('the form of a plan', () => {
  const settings = { products: ['pro', 'team'], quantity: true };
  const offer = planOffer(plan(), { settings, products });
  const read = (fields: Record<string, string>, from = offer) =>
    readWantedPlan(new Map(Object.entries(fields)), from);

  test('names one of the offered plans', () => {
    for (const productId of ['', 'euro', 'basic']) {
      expect(read({ productId })).toEqual({ problems: { productId: ['Please choose a plan'] } });
    }
  });

  test.each([
    ['1', 1],
    [' 12 ', 12],
    ['1000000', 1_000_000],
    ['0', undefined],
    ['1000001', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('with the quantity %j asks for %s', (quantity, expected) => {
    const problems = { quantity: ['Must be a whole number from 1 to 1000000'] };
    expect(read({ productId: 'team', quantity })).toEqual(
      expected === undefined ? { problems } : { wanted: { productId: 'team', quantity: expected } },
    );
  });

  test('leaves the quantity as it is for a flat price, and where it may not change', () => {
    const wanted = (productId: string) => ({ wanted: { productId, quantity: undefined } });
    expect(read({ productId: 'pro', quantity: '5' })).toEqual(wanted('pro'));
    const fixed = planOffer(plan(), { settings: { ...settings, quantity: false }, products });
    expect(read({ productId: 'team', quantity: '5' }, fixed)).toEqual(wanted('team'));
  });
});

test.each([
  [flat, 3, '$29.00 every month'],
  [perUnit, 1, '$29.00 every month'],
  [perUnit, 3, '3 × $29.00 every month'],
  [PricingType.PRICING_TYPE_VOLUME, 3, '3 units, priced in tiers'],
])('the terms of type %s with quantity %s are %s', (type, quantity, terms) => {
  expect(english(itemTerms({ price: priced({ type, trialDays: 14 }), quantity }))).toBe(terms);
});

test('a subscription is charged to its own card, else to the default one', () => {
  const own = PaymentMethod.fromPartial({ id: 'own', subscriptionIds: ['one'] });
  const usual = PaymentMethod.fromPartial({ id: 'usual', isDefault: true });
  expect(chargedMethod([usual, own], 'one')?.id).toBe('own');
  expect(chargedMethod([usual, own], 'two')?.id).toBe('usual');
  expect(chargedMethod([], 'one')).toBeUndefined();
});
