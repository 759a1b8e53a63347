import type { BillingInterval } from '@billing/kernel/billing-period';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { isSameData } from '@billing/kernel/equality';
import { isKnown, type PriceTermsInput } from '@billing/kernel/input/price-terms';
import { parseAmount } from '@billing/kernel/money';
import type { PricingType } from '@billing/kernel/pricing';
import { parseTiers, type Tier } from '@billing/kernel/tiers';

/** Amount, billing interval and trial of a price. */
export interface PriceTerms {
  readonly type: PricingType;
  readonly currency: Currency;
  /** In the currency's smallest unit. */
  readonly amount: bigint;
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
  /** Null: no trial. */
  readonly trialDays: number | null;
  /** TIERED and VOLUME only; null: another type, or a single open tier at `amount` per unit. */
  readonly tiers: readonly Tier[] | null;
}

/**
 * One price version of a product. Immutable: a purchase keeps the version that it started with, and
 * a price change creates a new one. Metadata and lookup key are copies of the product's at that
 * time.
 */
export interface Price extends PriceTerms {
  readonly id: string;
  /** Version number within the product, from 1. */
  readonly number: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lookupKey: string | null;
  readonly createdAt: Date;
}

/** A price version replaced by a later one, kept for purchases that started with it. */
export interface SupersededPrice {
  readonly productId: string;
  readonly price: Price;
  readonly supersededAt: Date;
}

/** The fields of a price version other than its terms. */
type PriceOccasion = Pick<Price, 'metadata' | 'lookupKey' | 'createdAt'>;

/** Derives the id of a price version from its number; deterministic. */
export type PriceIdOf = (number: number) => string;

/**
 * Builds terms from validated input. Throws an Error on invalid input, which is a bug: it should
 * have been refused before.
 */
export function priceTerms(input: PriceTermsInput): PriceTerms {
  const { type, amount, billingInterval, intervalCount, trialDays, tiers } = input;
  if (!isKnown(type) || amount === undefined || !isKnown(billingInterval)) {
    throw new Error('Unvalidated terms');
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

/** The first price version of a product. */
export function firstPrice({ terms, occasion, priceIdOf }: PriceChange): Price {
  return { id: priceIdOf(1), number: 1, ...terms, ...occasion };
}

/**
 * The price after a change of terms: the same price if they are equal, otherwise the next version.
 */
export function priceAfter(price: Price, { terms, occasion, priceIdOf }: PriceChange): Price {
  if (isSameData({ ...price, ...terms }, price)) return price;
  const number = price.number + 1;
  return { id: priceIdOf(number), number, ...terms, ...occasion };
}

/** The requested terms, and the other fields of a new version. */
export interface PriceChange {
  readonly terms: PriceTerms;
  readonly occasion: PriceOccasion;
  readonly priceIdOf: PriceIdOf;
}
