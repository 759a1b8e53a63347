import { type BillingInterval, INTERVAL_COUNT_MAX } from '@billing/kernel/billing-period';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import {
  type InputProblems,
  problemsOfParsing,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import { parseAmount } from '@billing/kernel/money';

const trialDaysMax = 730;

/** What is charged, how often, and after which trial. */
export interface PriceTerms {
  readonly type: 'FLAT';
  readonly currency: Currency;
  /** In the currency's smallest unit. */
  readonly amount: bigint;
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
  /** Null: no trial. */
  readonly trialDays: number | null;
}

/**
 * One price version of a product. It never changes: whoever has started with it keeps it, so a change of price is a new
 * version. Metadata and lookup key are the product's as they were then.
 */
export interface Price extends PriceTerms {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lookupKey: string | null;
  readonly createdAt: Date;
}

/** A choice as it was sent: undefined where none was made, UNKNOWN where this version does not know it. */
export type SentChoice<T> = T | 'UNKNOWN' | undefined;

/** Terms as they were sent. */
export interface PriceTermsInput {
  readonly type: SentChoice<PriceTerms['type']>;
  /** In any case. */
  readonly currency: string;
  readonly amount: bigint;
  readonly billingInterval: SentChoice<BillingInterval>;
  /** Absent: 1. */
  readonly intervalCount?: number | undefined;
  /** Absent: no trial. */
  readonly trialDays?: number | undefined;
}

/** What is wrong with each field. */
export function priceTermsProblems(input: PriceTermsInput): InputProblems {
  return {
    type: typeProblems(input.type),
    currency:
      input.currency === '' ? ['Required'] : problemsOfParsing(() => parseCurrency(input.currency)),
    amount: problemsOfParsing(() => parseAmount(input.amount)),
    billingInterval: intervalProblems(input.billingInterval),
    intervalCount: intervalCountProblems(input),
    trialDays: trialDaysProblems(input),
  };
}

/** The terms of an input without problems; throws an Error for one that has some, because it was to be refused before. */
export function priceTerms(input: PriceTermsInput): PriceTerms {
  const { type, billingInterval, intervalCount, trialDays } = input;
  if (type !== 'FLAT' || !isKnown(billingInterval)) throw new Error('The terms were not checked');
  return {
    type,
    currency: parseCurrency(input.currency),
    amount: parseAmount(input.amount),
    billingInterval,
    intervalCount: intervalCount ?? 1,
    trialDays: trialDays ?? null,
  };
}

function typeProblems(type: PriceTermsInput['type']): string[] {
  if (type === undefined) return ['Required'];
  return type === 'FLAT' ? [] : ['Only FLAT is supported'];
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

function isKnown(interval: PriceTermsInput['billingInterval']): interval is BillingInterval {
  return interval !== undefined && interval !== 'UNKNOWN';
}
