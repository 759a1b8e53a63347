import type { Currency } from '../currency';
import { Decimal } from '../decimal';
import { applyDiscount, appliesToProduct, type DiscountTerms } from '../discounting';
import { partOf, shareOf, type Share, type TimeSpan } from './share';

/** Charge of an item in the running period, in minor units. */
export interface ItemCharge {
  readonly itemId: string;
  readonly productId: string;
  /** Start of the time that the charge pays for, in milliseconds since 1970. */
  readonly from: number;
  /** Before its discount. */
  readonly gross: bigint;
  /** After its discount, at most `gross`. */
  readonly net: bigint;
  /** The item as it was charged; absent: the item as it is. */
  readonly charged?: {
    readonly productName: string;
    readonly priceId: string;
    /** Decimal string. */
    readonly quantity: string;
  };
}

/** An item after the change, with the exact charge of a whole period in minor units. */
export interface ChangedItem {
  readonly itemId: string;
  readonly productId: string;
  readonly exactAmount: Decimal;
}

/** Part of a charge that a change takes back. */
export interface UnusedTime {
  readonly itemId: string;
  /** In minor units, 0 or more. */
  readonly amount: bigint;
  readonly share: Share;
  /** The amount that the share multiplies. */
  readonly of: bigint;
}

/** Charge for the rest of a period. */
export interface RemainingTime {
  readonly itemId: string;
  readonly productId: string;
  /** In minor units, before and after the discount. */
  readonly gross: bigint;
  readonly net: bigint;
  readonly share: Share;
  /** The exact charge of a whole period, which the share multiplies. */
  readonly of: Decimal;
}

/** A change within the running period. */
export interface ProratedChange {
  /** The running period. */
  readonly period: TimeSpan;
  /** When the change takes effect, in the period or at its end. */
  readonly at: number;
  /** Charges of the items that are removed or changed, in the order of the items before. */
  readonly replaced: readonly ItemCharge[];
  /** Items that are new or changed, in their order after the change. */
  readonly added: readonly ChangedItem[];
  /** Terms of the discount, if the running period is discounted. */
  readonly discount?: DiscountTerms | undefined;
  readonly currency: Currency;
}

/** Time that a change takes back, and time that it charges. */
export interface Proration {
  readonly unused: readonly UnusedTime[];
  readonly remaining: readonly RemainingTime[];
}

/** Computes what a change in the running period takes back and charges, each rounded once. */
export function prorate(change: ProratedChange): Proration {
  const { period, at, replaced, added } = change;
  const unused = replaced.map((charge) => unusedTime(charge, { from: at, to: period.to }));
  const share = shareOf({ from: at, to: period.to }, period);
  const gross = added.map(({ exactAmount }) => partOf(exactAmount, share));
  const parts = discountParts(change, { gross, unused });
  const remaining = added.map(({ itemId, productId, exactAmount: of }, index) => ({
    itemId,
    productId,
    gross: gross[index] ?? 0n,
    net: (gross[index] ?? 0n) - (parts[index] ?? 0n),
    share,
    of,
  }));
  return { unused, remaining };
}

/** The part of a charge that pays for the time left until the period's end. */
export function unusedTime({ itemId, from, net }: ItemCharge, left: TimeSpan): UnusedTime {
  const share = shareOf(left, { from, to: left.to });
  return { itemId, amount: partOf(Decimal.of(net), share), share, of: net };
}

/** The charges that replace those of changed items, for later changes in the same period. */
export function chargesAfter({ at }: { at: number }, { remaining }: Proration): ItemCharge[] {
  return remaining.map(({ itemId, productId, gross, net }) => ({
    itemId,
    productId,
    from: at,
    gross,
    net,
  }));
}

/**
 * Discounts of the remaining time. A fixed discount gives what the replaced charges had of it for
 * that time, so that a change grants no second one.
 */
function discountParts(
  { replaced, added, discount, currency, at, period }: ProratedChange,
  { gross, unused }: { gross: readonly bigint[]; unused: readonly UnusedTime[] },
): readonly bigint[] {
  if (discount === undefined) return gross.map(() => 0n);
  const givenBack = replaced
    .filter(({ productId }) => appliesToProduct(discount, productId))
    .map((charge) => {
      const share = shareOf({ from: at, to: period.to }, { from: charge.from, to: period.to });
      const { amount = 0n } = unused.find(({ itemId }) => itemId === charge.itemId) ?? {};
      return partOf(Decimal.of(charge.gross), share) - amount;
    });
  const value =
    discount.type === 'FIXED'
      ? givenBack.reduce((left, right) => left + right, 0n).toString()
      : discount.value;
  const lines = added.map(({ productId }, index) => ({ productId, amount: gross[index] ?? 0n }));
  return applyDiscount({ ...discount, value }, { currency, lines }).parts;
}
