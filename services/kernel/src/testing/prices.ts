import fc from 'fast-check';
import { Decimal, DECIMAL_PLACES_MAX } from '../decimal';
import type { Tier } from '../pricing/tiers';
import type { UsagePrice } from '../pricing/usage-pricing';

/** Usage price of a type; parts that are not given are free. */
export function aUsagePrice(price: Partial<UsagePrice> & Pick<UsagePrice, 'type'>): UsagePrice {
  return {
    unitAmount: null,
    tiers: null,
    includedUnits: '0',
    packageSize: null,
    minimumAmount: null,
    maximumAmount: null,
    ...price,
  };
}

/** Any number from 0 to 10^6 with up to 12 decimals. */
export const anyDecimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.nat({ max: DECIMAL_PLACES_MAX }))
  .map(([digits, scale]) => Decimal.of(digits % 10n ** BigInt(6 + scale), scale));

/** Any valid tiers. */
export const anyTiers: fc.Arbitrary<Tier[]> = fc
  .array(fc.tuple(anyDecimal, anyDecimal, fc.option(anyDecimal, { nil: Decimal.of(0n) })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((rows) => {
    let bound = Decimal.of(0n);
    return rows.map(([width, unitAmount, flatAmount], index) => {
      // Above 0, so that the bounds ascend.
      bound = bound.add(width).add(Decimal.of(1n, DECIMAL_PLACES_MAX));
      return {
        upTo: index === rows.length - 1 ? null : bound.toString(),
        unitAmount: unitAmount.toString(),
        flatAmount: flatAmount.toString(),
      };
    });
  });
