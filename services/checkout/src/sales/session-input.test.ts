import { DomainError, type FieldErrors } from '@billing/kernel/domain-error';
import type { ProductFacts } from '../peer/product-facts';
import { payerMessage } from '../provider/port/payer-message';
import { checkProducts, checkSessionInput, type SessionInput } from './session-input';

const input: SessionInput = {
  customerId: 'customer',
  priceId: 'price',
  productId: undefined,
  quantity: 1,
  items: undefined,
  allowsCodes: undefined,
  isForVisitor: false,
  earlierSessionId: undefined,
  checkoutLinkId: undefined,
  successUrl: undefined,
  cancelUrl: undefined,
  locale: undefined,
  discountId: undefined,
  metadata: {},
};

const product: ProductFacts = {
  id: 'product',
  name: 'Pro',
  description: undefined,
  active: true,
  price: {
    id: 'price',
    type: 'PER_UNIT',
    currency: 'USD',
    amount: 99_999n,
    tiers: null,
    billingInterval: 'MONTHLY',
    intervalCount: 1,
    trialDays: 0,
    active: true,
  },
};

function refusalOf(act: () => void): FieldErrors | string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.fields ?? error.reason;
  }
}

const check = (changes: Partial<SessionInput>, metadataProblems: string[] = []) =>
  refusalOf(() => {
    const isId = (text: string) => text !== 'malformed';
    checkSessionInput({ ...input, ...changes }, { isId, metadataProblems });
  });

test.each<[Partial<SessionInput>]>([
  [{}],
  [{ priceId: undefined, productId: 'product' }],
  [{ productId: 'product' }],
  [{ quantity: 1_000_000 }],
  [{ successUrl: 'http://shop.example/?id={SESSION_ID}' }],
  [{ discountId: 'malformed', checkoutLinkId: 'malformed' }],
])('the input %j is valid', (changes) => {
  expect(check(changes)).toBeUndefined();
});

test('all problems of an input are reported together', () => {
  const wrong = {
    customerId: 'malformed',
    priceId: 'malformed',
    productId: 'malformed',
    quantity: 0,
    successUrl: 'x',
    cancelUrl: 'x',
  };
  expect(check(wrong, ['problem'])).toEqual({
    customerId: ['Invalid uuid'],
    priceId: ['Invalid uuid'],
    productId: ['Invalid uuid'],
    quantity: ['Must be a whole number from 1 to 1000000'],
    successUrl: ['Must be an absolute http or https URL'],
    cancelUrl: ['Must be an absolute http or https URL'],
    metadata: ['problem'],
  });
});

test('an input without a price or a product is refused', () => {
  expect(check({ priceId: undefined })).toEqual({ priceId: ['Required'] });
});

const buy = (facts: Partial<ProductFacts>, changes: Partial<SessionInput> = {}) =>
  refusalOf(() => {
    checkProducts([{ ...product, ...facts }], { ...input, ...changes });
  });

test.each<[string, Partial<ProductFacts>, Partial<SessionInput>, unknown]>([
  ['an active product', {}, {}, undefined],
  ['the same product by both ids', {}, { productId: 'product' }, undefined],
  ['an inactive product', { active: false }, {}, 'PRODUCT_NOT_FOUND'],
  ['a superseded price', { price: { ...product.price, active: false } }, {}, 'PRODUCT_NOT_FOUND'],
  ['a price of another product', {}, { productId: 'other' }, 'PRODUCT_NOT_FOUND'],
  ['the largest amount', {}, { quantity: 1_000_000 }, undefined],
  [
    'more than the largest amount',
    { price: { ...product.price, amount: 100_000n } },
    { quantity: 1_000_000 },
    { quantity: ['The total exceeds the maximum amount'] },
  ],
])('buying %s is checked', (_case, facts, changes, refusal) => {
  expect(buy(facts, changes)).toEqual(refusal);
});

describe('several items', () => {
  const named = { priceId: undefined, items: [{ productId: 'product' }, { priceId: 'seats' }] };
  const seats = { ...product, id: 'seats' };
  const buyTogether = (facts: Partial<ProductFacts>, changes: Partial<SessionInput> = {}) =>
    refusalOf(() => {
      checkProducts([product, { ...seats, ...facts }], { ...input, ...named, ...changes });
    });

  test('are named by product or price', () => {
    expect(check(named)).toBeUndefined();
    const wrong = [{ productId: 'malformed' }, {}];
    expect(check({ priceId: undefined, items: wrong })).toEqual({
      items: ['0.productId: Invalid uuid', '1.productId: Required'],
    });
  });

  test.each<[string, Partial<ProductFacts>, unknown]>([
    ['recurring products', {}, undefined],
    ['an inactive product', { active: false }, 'PRODUCT_NOT_FOUND'],
    [
      'a one-time product',
      { price: { ...product.price, billingInterval: 'ONE_TIME' } },
      { items: ['1.priceId: Price is not recurring'] },
    ],
    ['a product twice', { id: 'product' }, { items: ['1.priceId: Product is there twice'] }],
  ])('with %s are checked', (_case, facts, refusal) => {
    expect(buyTogether(facts)).toEqual(refusal);
  });

  test('are reported under their list, even if there is one', () => {
    const price = { ...product.price, amount: 100_000n };
    const items = [{ productId: 'product', quantity: 1_000_000 }];
    expect(buy({ price }, { priceId: undefined, items })).toEqual({
      items: ['0.quantity: The total exceeds the maximum amount'],
    });
  });
});

test('the payer of a lost or stolen card is told only that it was declined', () => {
  const declined = payerMessage('card_declined');
  for (const code of ['lost_card', 'stolen_card', 'pickup_card', 'fraudulent'] as const) {
    expect(payerMessage(code)).toBe(declined);
  }
  expect(payerMessage('something new')).toBe('Your payment failed. Please try again.');
});
