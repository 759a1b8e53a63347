import { type BillingInterval, INTERVAL_COUNT_MAX } from '../billing-period';
import { parseCurrency } from '../currency';
import {
  type InputProblems,
  type Parts,
  problemsOfParsing,
  wholeNumberProblems,
} from '../input-problems';
import { parseAmount } from '../money';
import type { PricingType } from '../pricing/pricing';
import { type TierInput, tierProblems } from '../pricing/tiers';

const trialDaysMax = 730;

/** Choice as sent: undefined if absent, UNKNOWN for a value that this version does not know. */
export type SentChoice<T> = T | 'UNKNOWN' | undefined;

/** Terms as sent. */
export interface PriceTermsInput {
  readonly type: SentChoice<PricingType>;
  /** In any case. */
  readonly currency: string;
  /** Required. */
  readonly amount: bigint | undefined;
  readonly billingInterval: SentChoice<BillingInterval>;
  /** Defaults to 1. */
  readonly intervalCount?: number | undefined;
  /** Absent: no trial. */
  readonly trialDays?: number | undefined;
  /** Absent: no tiers. */
  readonly tiers?: readonly TierInput[] | undefined;
}

/** Terms with tiers that may lack parts. */
export interface PriceTermsParts extends Omit<PriceTermsInput, 'tiers'> {
  readonly tiers?: readonly Parts<TierInput>[] | undefined;
}

/** Problems of each field. */
export function priceTermsProblems(input: PriceTermsParts): InputProblems {
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

function intervalCountProblems({ intervalCount, billingInterval }: PriceTermsParts): string[] {
  if (intervalCount === undefined) return [];
  // Without a known interval its maximum is unknown, so only counts that no interval allows are
  // refused, too.
  const max = isKnown(billingInterval)
    ? INTERVAL_COUNT_MAX[billingInterval]
    : Math.max(...Object.values(INTERVAL_COUNT_MAX));
  return wholeNumberProblems(intervalCount, { min: 1, max });
}

function trialDaysProblems({ trialDays, billingInterval }: PriceTermsParts): string[] {
  if (trialDays === undefined) return [];
  if (billingInterval === 'ONE_TIME') return ['Not allowed with ONE_TIME'];
  return wholeNumberProblems(trialDays, { min: 0, max: trialDaysMax });
}

function tiersProblems({ tiers, type }: PriceTermsParts): string[] {
  if (tiers === undefined) return [];
  // With an unknown type, the tiers are still validated.
  if (type === 'FLAT' || type === 'PER_UNIT') return ['Only allowed with TIERED and VOLUME'];
  return tierProblems(tiers);
}

/** Problems of a required choice: missing or unknown. */
export function isKnown<T extends string>(choice: SentChoice<T>): choice is T {
  return choice !== undefined && choice !== 'UNKNOWN';
}
