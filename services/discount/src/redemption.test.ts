import { createDiscount, type Discount, type DiscountInput } from './discount';
import { purchaseRefusal, refusedRedemption } from './redemption';

const at = new Date('2026-02-01T00:00:00Z');
const before = new Date(at.getTime() - 1);
const after = new Date(at.getTime() + 1);
const findings = { metadataProblems: [], productProblems: [] };

function aDiscount(input: Partial<DiscountInput> = {}): Discount {
  const percentage = {
    name: 'Spring',
    type: 'PERCENTAGE',
    value: '10',
    duration: 'FOREVER',
    productIds: [],
  } as const;
  return createDiscount({ ...percentage, ...input }, { id: 'd', ...findings });
}

const dollars = { type: 'FIXED', value: '500', currency: 'USD' } as const;

test.each<[string, Partial<DiscountInput>, string | null]>([
  ['without limits', {}, null],
  ['that is inactive', { active: false }, 'DISCOUNT_INACTIVE'],
  ['that starts now', { startsAt: at }, null],
  ['that starts a moment later', { startsAt: after }, 'DISCOUNT_NOT_STARTED'],
  ['that ends a moment later', { endsAt: after }, null],
  ['that ends now', { endsAt: at }, 'DISCOUNT_EXPIRED'],
  ['that has ended', { endsAt: before }, 'DISCOUNT_EXPIRED'],
  ['with a redemption left', { maxRedemptions: 3 }, null],
  ['without a redemption left', { maxRedemptions: 2 }, 'DISCOUNT_EXHAUSTED'],
  ['for the product', { productIds: ['other', 'product'] }, null],
  ['for another product', { productIds: ['other'] }, 'DISCOUNT_WRONG_PRODUCT'],
  ['in the currency', { ...dollars, currency: 'EUR' }, null],
  ['in another currency', dollars, 'DISCOUNT_WRONG_CURRENCY'],
  ['in the currency of each invoice', { type: 'FIXED', value: '500' }, null],
  ['that is wrong in several ways', { ...dollars, active: false }, 'DISCOUNT_INACTIVE'],
])('a discount %s allows or refuses a redemption', (_case, input, refusal) => {
  const purchase = { productIds: ['product'], currency: 'EUR' as const, at, redemptions: 2 };
  expect(purchaseRefusal(aDiscount(input), purchase)).toBe(refusal);
});

test('a purchase without known product and currency is not refused', () => {
  const unknown = { productIds: undefined, currency: undefined, at, redemptions: 0 };
  expect(purchaseRefusal(aDiscount({ ...dollars, productIds: ['other'] }), unknown)).toBeNull();
});

test('all refusals have the same message and different reasons', () => {
  expect(refusedRedemption('DISCOUNT_EXPIRED')).toMatchObject({
    kind: 'not_found',
    reason: 'DISCOUNT_EXPIRED',
    message: 'Discount not found',
  });
});

test('a discount is for several products if it is for one of them', () => {
  const discount = aDiscount({ productIds: ['seats'] });
  const of = (...productIds: string[]) =>
    purchaseRefusal(discount, { productIds, currency: undefined, at, redemptions: 0 });
  expect(of('base', 'seats')).toBeNull();
  expect(of('base', 'support')).toBe('DISCOUNT_WRONG_PRODUCT');
});
