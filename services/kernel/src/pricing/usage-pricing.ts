import { type Charge, type ExactCharge, roundedCharge } from './charge';
import { Decimal } from '../decimal';
import { graduatedPrice } from './graduated-price';
import { packagePrice } from './package-price';
import { parseRate } from './rate';
import { sumOf, type Tier, type TierCharge } from './tiers';
import { parseUnits } from './units';
import { volumePrice } from './volume-price';

/** Pricing model of usage; TIERED is graduated, PACKAGE charges started packages whole. */
export type UsagePricingType = 'PER_UNIT' | 'TIERED' | 'VOLUME' | 'PACKAGE';

/**
 * Price of a meter's units in one period. Units and rates are decimal strings, rates in minor
 * units.
 */
export interface UsagePrice {
  readonly type: UsagePricingType;
  /** Rate per unit or package; only for PER_UNIT and PACKAGE. */
  readonly unitAmount: string | null;
  /**
   * Only for TIERED and VOLUME. Tiers count billed units: the first tier starts after the included
   * ones.
   */
  readonly tiers: readonly Tier[] | null;
  /** Units that are free in each period. */
  readonly includedUnits: string;
  /** Units in a package, above 0; only for PACKAGE. */
  readonly packageSize: string | null;
  /** In minor units; charged even without usage. */
  readonly minimumAmount: bigint | null;
  /** In minor units, at least the minimum. */
  readonly maximumAmount: bigint | null;
}

/**
 * Usage in decimal strings. Corrections may result in a `quantity` below 0, which costs the same as
 * 0.
 */
export interface Usage {
  readonly quantity: string;
  /** Units beyond the included ones that are paid by credits. */
  readonly creditedUnits?: string | undefined;
}

/**
 * Charge for the usage of one period: prices the units beyond included and credited ones exactly,
 * applies minimum and maximum, then rounds once. A price that the catalog would not accept is a bug
 * and throws an Error.
 */
export function usageCharge(price: UsagePrice, usage: Usage): Charge {
  return roundedCharge(exactCharge(price, usage));
}

/**
 * Charge for a period that was billed before: the charge for all its usage less the billed amount,
 * below 0 if too much was billed. The quantity counts the units added since. The tiers are empty,
 * because they would not sum to the difference.
 */
export function usageChargeBeyond(price: UsagePrice, usage: Usage, billed: Usage): Charge {
  const now = exactCharge(price, usage);
  const before = exactCharge(price, billed);
  const { unitAmount, amount, details } = roundedCharge(now);
  const billedAmount = before.exactAmount.roundHalfUp();
  return {
    quantity: now.quantity.subtract(before.quantity).toString(),
    unitAmount,
    amount: amount - billedAmount,
    details: {
      ...details,
      tiers: [],
      billedQuantity: now.billedQuantity.subtract(before.billedQuantity).toString(),
      exactAmount: now.exactAmount.subtract(Decimal.of(billedAmount)).toString(),
    },
  };
}

function exactCharge(price: UsagePrice, { quantity, creditedUnits = '0' }: Usage): ExactCharge {
  const used = Decimal.parse(quantity, 'quantity');
  const includedUnits = parseUnits(price.includedUnits, 'includedUnits');
  const credited = atLeastZero(Decimal.parse(creditedUnits, 'creditedUnits'));
  const billedQuantity = atLeastZero(used.subtract(includedUnits).subtract(credited));
  const { unitAmount, tiers, amount } = priceUnits(price, billedQuantity);
  return {
    quantity: used,
    unitAmount,
    tiers,
    includedUnits,
    billedQuantity,
    exactAmount: withinBounds(amount, price),
  };
}

interface PricedUnits {
  readonly unitAmount: Decimal | undefined;
  readonly tiers: readonly TierCharge[];
  readonly amount: Decimal;
}

function priceUnits(price: UsagePrice, quantity: Decimal): PricedUnits {
  switch (price.type) {
    case 'PER_UNIT': {
      const unitAmount = parseRate(given(price, 'unitAmount'));
      return { unitAmount, tiers: [], amount: quantity.multiply(unitAmount) };
    }
    case 'PACKAGE': {
      const unitAmount = parseRate(given(price, 'unitAmount'));
      const size = parseUnits(given(price, 'packageSize'), 'packageSize');
      return {
        unitAmount,
        tiers: [],
        amount: packagePrice({ amount: unitAmount, size }, quantity),
      };
    }
    case 'TIERED':
      return inTiers(graduatedPrice(given(price, 'tiers'), quantity));
    case 'VOLUME':
      return inTiers(volumePrice(given(price, 'tiers'), quantity));
  }
}

function inTiers(tiers: readonly TierCharge[]): PricedUnits {
  return { unitAmount: undefined, tiers, amount: sumOf(tiers) };
}

function withinBounds(amount: Decimal, { minimumAmount, maximumAmount }: UsagePrice): Decimal {
  if (minimumAmount !== null && maximumAmount !== null && minimumAmount > maximumAmount) {
    throw new Error(`A minimum of ${String(minimumAmount)} is over ${String(maximumAmount)}`);
  }
  const minimum = Decimal.of(minimumAmount ?? 0n);
  if (amount.compare(minimum) < 0) return minimum;
  if (maximumAmount === null) return amount;
  const maximum = Decimal.of(maximumAmount);
  return amount.compare(maximum) > 0 ? maximum : amount;
}

function given<K extends 'unitAmount' | 'tiers' | 'packageSize'>(
  price: UsagePrice,
  field: K,
): NonNullable<UsagePrice[K]> {
  const value = price[field];
  if (value === null) throw new Error(`A ${price.type} price has a ${field}`);
  return value;
}

function atLeastZero(units: Decimal): Decimal {
  const none = Decimal.of(0n);
  return units.compare(none) < 0 ? none : units;
}
