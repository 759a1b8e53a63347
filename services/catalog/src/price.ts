import { type BillingInterval, INTERVAL_COUNT_MAX } from '@billing/kernel/billing-period';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { isSameData } from '@billing/kernel/equality';
import {
  type InputProblems,
  problemsOfParsing,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import { parseAmount } from '@billing/kernel/money';
import type { PricingType } from '@billing/kernel/pricing';
import { parseTiers, type Tier, type TierInput, tierProblems } from '@billing/kernel/tiers';

const trialDaysMax = 730;

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

/** A choice as it was sent: undefined where none was made, UNKNOWN where this version does not know it. */
export type SentChoice<T> = T | 'UNKNOWN' | undefined;

/** Terms as they were sent. */
export interface PriceTermsInput {
  readonly type: SentChoice<PriceTerms['type']>;
  /** In any case. */
  readonly currency: string;
  /** Absent: refused as missing. */
  readonly amount: bigint | undefined;
  readonly billingInterval: SentChoice<BillingInterval>;
  /** Absent: 1. */
  readonly intervalCount?: number | undefined;
  /** Absent: no trial. */
  readonly trialDays?: number | undefined;
  /** Absent: none. */
  readonly tiers?: readonly TierInput[] | undefined;
}

/** What is wrong with each field. */
export function priceTermsProblems(input: PriceTermsInput): InputProblems {
  return {
    type: typeProblems(input.type),
    currency:
      input.currency === '' ? ['Required'] : problemsOfParsing(() => parseCurrency(input.currency)),
    amount: amountProblems(input.amount),
    billingInterval: intervalProblems(input.billingInterval),
    intervalCount: intervalCountProblems(input),
    trialDays: trialDaysProblems(input),
    tiers: tiersProblems(input),
  };
}

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

function typeProblems(type: PriceTermsInput['type']): string[] {
  if (type === undefined) return ['Required'];
  return isKnown(type) ? [] : ['Invalid pricing type'];
}

function amountProblems(amount: PriceTermsInput['amount']): string[] {
  return amount === undefined ? ['Required'] : problemsOfParsing(() => parseAmount(amount));
}

function intervalProblems(interval: PriceTermsInput['billingInterval']): string[] {
  if (interval === undefined) return ['Required'];
  return isKnown(interval) ? [] : ['Invalid billing interval'];
}

function intervalCountProblems({ intervalCount, billingInterval }: PriceTermsInput): string[] {
  if (intervalCount === undefined) return [];
  // Without a known interval its own maximum is unknown, so only what no interval allows is refused beside it.
  const max = isKnown(billingInterval)
    ? INTERVAL_COUNT_MAX[billingInterval]
    : Math.max(...Object.values(INTERVAL_COUNT_MAX));
  return wholeNumberProblems(intervalCount, { min: 1, max });
}

function trialDaysProblems({ trialDays, billingInterval }: PriceTermsInput): string[] {
  if (trialDays === undefined) return [];
  if (billingInterval === 'ONE_TIME') return ['Not allowed with ONE_TIME'];
  return wholeNumberProblems(trialDays, { min: 0, max: trialDaysMax });
}

function tiersProblems({ tiers, type }: PriceTermsInput): string[] {
  if (tiers === undefined) return [];
  // Beside a type that is wrong itself, tiers are judged by themselves.
  if (type === 'FLAT' || type === 'PER_UNIT') return ['Only allowed with TIERED and VOLUME'];
  return tierProblems(tiers);
}

function isKnown<T extends string>(choice: SentChoice<T>): choice is T {
  return choice !== undefined && choice !== 'UNKNOWN';
}
