import type { BillingInterval } from '@billing/kernel/billing-period';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { isSameData } from '@billing/kernel/equality';
import { isKnown, type PriceTermsInput } from '@billing/kernel/input/price-terms';
import { parseAmount } from '@billing/kernel/money';
import type { PricingType } from '@billing/kernel/pricing';
import { parseTiers, type Tier } from '@billing/kernel/tiers';

/** What is charged, how often, and after which trial. */
export interface PriceTerms {
  readonly type: PricingType;
  readonly currency: Currency;
  /** In the currency's smallest unit. */
  readonly amount: bigint;
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
  /** Null: no trial. */
  readonly trialDays: number | null;
  /** Of TIERED and VOLUME alone; null: one open tier at `amount` per unit, or another type. */
  readonly tiers: readonly Tier[] | null;
}

/**
 * One price version of a product. It never changes: whoever has started with it keeps it, so a change of price is a new
 * version. Metadata and lookup key are the product's as they were then.
 */
export interface Price extends PriceTerms {
  readonly id: string;
  /** Counts the product's versions from 1. */
  readonly number: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lookupKey: string | null;
  readonly createdAt: Date;
}

/** A price that a later version has replaced, kept for those who started with it. */
export interface SupersededPrice {
  readonly productId: string;
  readonly price: Price;
  readonly supersededAt: Date;
}

/** What a price version has besides its terms. */
export type PriceOccasion = Pick<Price, 'metadata' | 'lookupKey' | 'createdAt'>;

/** The id of a product's price version, the same however often it is asked for. */
export type PriceIdOf = (number: number) => string;

/** The terms of an input without problems; throws an Error for one that has some, because it was to be refused before. */
export function priceTerms(input: PriceTermsInput): PriceTerms {
  const { type, amount, billingInterval, intervalCount, trialDays, tiers } = input;
  if (!isKnown(type) || amount === undefined || !isKnown(billingInterval)) {
    throw new Error('The terms were not checked');
  }
  return {
    type,
    currency: parseCurrency(input.currency),
    amount: parseAmount(amount),
    billingInterval,
    intervalCount: intervalCount ?? 1,
    trialDays: trialDays ?? null,
    tiers: tiers === undefined ? null : parseTiers(tiers),
  };
}

/** The first price of a product. */
export function firstPrice({ terms, occasion, priceIdOf }: PriceChange): Price {
  return { id: priceIdOf(1), number: 1, ...terms, ...occasion };
}

/** The price after a change of terms: the very same one where they are the same, else the next version. */
export function priceAfter(price: Price, { terms, occasion, priceIdOf }: PriceChange): Price {
  if (isSameData({ ...price, ...terms }, price)) return price;
  const number = price.number + 1;
  return { id: priceIdOf(number), number, ...terms, ...occasion };
}

/** The terms that are asked for, and what a new version is given beside them. */
export interface PriceChange {
  readonly terms: PriceTerms;
  readonly occasion: PriceOccasion;
  readonly priceIdOf: PriceIdOf;
}
