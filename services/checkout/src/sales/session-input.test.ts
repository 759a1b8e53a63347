import { DomainError, type FieldErrors } from '@billing/kernel/domain-error';
import type { ProductFacts } from '../peer/product-facts';
import { payerMessage } from '../provider/port/payer-message';
import { checkProduct, checkSessionInput, type SessionInput } from './session-input';

const input: SessionInput = {
  customerId: 'customer',
  priceId: 'price',
  productId: undefined,
  quantity: 1,
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
    checkProduct({ ...product, ...facts }, { ...input, ...changes });
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

test('the payer of a lost or stolen card is told only that it was declined', () => {
  const declined = payerMessage('card_declined');
  for (const code of ['lost_card', 'stolen_card', 'pickup_card', 'fraudulent'] as const) {
    expect(payerMessage(code)).toBe(declined);
  }
  expect(payerMessage('something new')).toBe('Your payment failed. Please try again.');
});
