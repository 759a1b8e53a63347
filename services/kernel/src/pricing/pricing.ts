import { type Charge, roundedCharge } from './charge';
import { Decimal } from '../decimal';
import { graduatedPrice } from './graduated-price';
import { isAmount } from '../money';
import { sumOf, type Tier, type TierCharge } from './tiers';
import { volumePrice } from './volume-price';

/** Pricing model of a recurring charge; TIERED is graduated. */
export type PricingType = 'FLAT' | 'PER_UNIT' | 'TIERED' | 'VOLUME';

/**
 * Recurring price and quantity: `amount` in minor units of the price's currency, `quantity` a whole
 * number of units from 1.
 */
export interface RecurringPrice {
  readonly type: PricingType;
  readonly amount: bigint;
  readonly quantity: number;
  /** Only for TIERED and VOLUME. Without tiers, one open tier costs `amount` per unit. */
  readonly tiers?: readonly Tier[] | null | undefined;
}

/** Charge of one period without usage. */
export type RecurringCharge = Charge;

/** Charge at one rate: `quantity` × `unitAmount` is exactly the amount. */
export interface SingleRateCharge extends RecurringCharge {
  readonly unitAmount: string;
}

/**
 * Recurring charge of one period. FLAT ignores the quantity: the line shows one unit at the whole
 * amount. An amount out of range or a quantity below 1 is a bug and throws an Error, since the
 * services refuse them earlier.
 */
export function recurringCharge(
  price: RecurringPrice & { readonly type: 'FLAT' | 'PER_UNIT' },
): SingleRateCharge;
export function recurringCharge(price: RecurringPrice): RecurringCharge;
export function recurringCharge({
  type,
  amount,
  quantity,
  tiers,
}: RecurringPrice): RecurringCharge {
  if (!Number.isSafeInteger(quantity) || quantity < 1) {
    throw new Error(`A quantity is a whole number from 1 on, not ${String(quantity)}`);
  }
  if (!isAmount(amount)) throw new Error(`Amount out of range: ${amount.toString()}`);
  const units = Decimal.of(BigInt(quantity));
  switch (type) {
    case 'FLAT':
      return atOneRate(Decimal.of(1n), Decimal.of(amount));
    case 'PER_UNIT':
      return atOneRate(units, Decimal.of(amount));
    case 'TIERED':
      return inTiers(units, graduatedPrice(tiersOf(tiers, amount), units));
    case 'VOLUME':
      return inTiers(units, volumePrice(tiersOf(tiers, amount), units));
  }
}

function tiersOf(tiers: readonly Tier[] | null | undefined, amount: bigint): readonly Tier[] {
  if (tiers !== null && tiers !== undefined && tiers.length > 0) return tiers;
  return [{ upTo: null, unitAmount: amount.toString(), flatAmount: '0' }];
}

function atOneRate(quantity: Decimal, unitAmount: Decimal): Charge {
  return roundedCharge({
    quantity,
    unitAmount,
    tiers: [],
    includedUnits: Decimal.of(0n),
    billedQuantity: quantity,
    exactAmount: quantity.multiply(unitAmount),
  });
}

function inTiers(quantity: Decimal, tiers: readonly TierCharge[]): Charge {
  return roundedCharge({
    quantity,
    unitAmount: undefined,
    tiers,
    includedUnits: Decimal.of(0n),
    billedQuantity: quantity,
    exactAmount: sumOf(tiers),
  });
}
