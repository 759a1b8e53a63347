import fc from 'fast-check';
import { applyDiscount, appliesToProduct, type DiscountTerms } from './discounting';
import { AMOUNT_MAX } from './money';

function terms(given: Partial<DiscountTerms>): DiscountTerms {
  return { type: 'PERCENTAGE', value: '100', currency: null, productIds: [], ...given };
}

function apply(discount: DiscountTerms, amounts: readonly bigint[]) {
  return applyDiscount(discount, {
    currency: 'USD',
    lines: amounts.map((amount) => ({ productId: 'plan', amount })),
  });
}

describe('a discount', () => {
  test('is rounded once on the sum, then split by largest remainder', () => {
    expect(apply(terms({ value: '33.33' }), [100n, 100n])).toEqual({
      amount: 67n,
      parts: [34n, 33n],
    });
  });

  test('of a fixed amount in another currency reduces nothing, a percentage does', () => {
    const inEuro = { value: '50', currency: 'EUR' } as const;
    expect(apply(terms({ ...inEuro, type: 'FIXED' }), [100n]).amount).toBe(0n);
    expect(apply(terms({ ...inEuro, type: 'PERCENTAGE' }), [100n]).amount).toBe(50n);
  });

  test('reduces no lines of other products', () => {
    const lines = [
      { productId: 'plan', amount: 100n },
      { productId: 'other', amount: 900n },
    ];
    expect(
      applyDiscount(terms({ type: 'FIXED', value: '500', productIds: ['plan'] }), {
        currency: 'USD',
        lines,
      }),
    ).toEqual({ amount: 100n, parts: [100n, 0n] });
  });

  test('reduces only lines above 0, by no more than their sum', () => {
    expect(apply(terms({}), [100n, -30n, 50n])).toEqual({ amount: 120n, parts: [80n, 0n, 40n] });
    expect(
      applyDiscount(terms({ productIds: ['plan'] }), {
        currency: 'USD',
        lines: [
          { productId: 'plan', amount: 100n },
          { productId: 'other', amount: -70n },
        ],
      }),
    ).toEqual({ amount: 30n, parts: [30n, 0n] });
  });

  test.each<[string, bigint[]]>([
    ['without lines', []],
    ['of nothing', [0n, 0n]],
    ['below 0', [10n, -20n]],
  ])('reduces no invoice %s', (_case, amounts) => {
    const nothing = { amount: 0n, parts: amounts.map(() => 0n) };
    expect(apply(terms({}), amounts)).toEqual(nothing);
    expect(apply(terms({ type: 'FIXED', value: '5' }), amounts)).toEqual(nothing);
  });

  test('that is negative, or no whole number of minor units, is refused', () => {
    expect(() => apply(terms({ value: '-1' }), [1n])).toThrow('takes off');
    expect(() => apply(terms({ type: 'FIXED', value: '0.5' }), [1n])).toThrow('whole');
  });
});

test('a discount without products applies to all products', () => {
  expect(appliesToProduct({ productIds: [] }, 'plan')).toBe(true);
  expect(appliesToProduct({ productIds: ['plan'] }, 'plan')).toBe(true);
  expect(appliesToProduct({ productIds: ['plan'] }, 'other')).toBe(false);
});

describe('any discount', () => {
  const anyTerms = fc.oneof(
    fc
      .integer({ min: 0, max: 10_000 })
      .map((hundredths) => terms({ value: String(hundredths / 100) })),
    fc
      .bigInt({ min: 0n, max: AMOUNT_MAX })
      .map((value) => terms({ type: 'FIXED', value: value.toString() })),
  );
  const lines = fc.array(fc.bigInt({ min: -(10n ** 6n), max: 10n ** 9n }), { maxLength: 50 });

  test('is at least 0 and at most the subtotal, and its parts sum to it', () => {
    fc.assert(
      fc.property(anyTerms, lines, (discount, amounts) => {
        const { amount, parts } = apply(discount, amounts);
        const subtotal = sum(amounts);
        expect(amount).toBeGreaterThanOrEqual(0n);
        expect(amount).toBeLessThanOrEqual(subtotal > 0n ? subtotal : 0n);
        expect(parts).toHaveLength(amounts.length);
        expect(sum(parts)).toBe(amount);
      }),
    );
  });

  test('reduces no line above 0 to below 0, and no other line', () => {
    fc.assert(
      fc.property(anyTerms, lines, (discount, amounts) => {
        apply(discount, amounts).parts.forEach((part, index) => {
          const amount = amounts[index] ?? 0n;
          expect(part).toBeGreaterThanOrEqual(0n);
          expect(part).toBeLessThanOrEqual(amount > 0n ? amount : 0n);
        });
      }),
    );
  });
});

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((left, right) => left + right, 0n);
}
