import { addMonths } from './billing-period';

/** Which of a subscription's invoices are discounted. */
export type DiscountDuration = 'ONCE' | 'REPEATING' | 'FOREVER';

/** `durationInMonths` is for REPEATING only, from 1. */
export interface DiscountSpan {
  readonly duration: DiscountDuration;
  readonly durationInMonths: number | null;
}

/**
 * Period starts, of the first invoice that was discounted (null: none was so far) and of the one in
 * question.
 */
export interface DiscountedPeriods {
  readonly first: Date | null;
  readonly start: Date;
}

/**
 * Whether a discount still counts in a period. The first one that it finds it takes: ONCE that
 * alone, REPEATING those that start within its calendar months from there, on the month's last day
 * where it has no such day, FOREVER all. A REPEATING span without months is a bug and throws an
 * Error.
 */
export function discountsPeriod(
  { duration, durationInMonths }: DiscountSpan,
  { first, start }: DiscountedPeriods,
): boolean {
  if (duration === 'FOREVER' || first === null) return true;
  if (duration === 'ONCE') return start.getTime() === first.getTime();
  if (durationInMonths === null) throw new Error('A repeating discount lasts some months');
  return start >= first && start < addMonths(first, durationInMonths);
}

/**
 * When and how often a discount may be redeemed: [startsAt, endsAt), null where it has no limit.
 */
export interface RedemptionLimits {
  readonly active: boolean;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly maxRedemptions: number | null;
}

export type RedemptionRefusal =
  'DISCOUNT_INACTIVE' | 'DISCOUNT_NOT_STARTED' | 'DISCOUNT_EXPIRED' | 'DISCOUNT_EXHAUSTED';

/** Why a discount cannot be redeemed at `at`, once more than `redemptions`; null where it can. */
export function redemptionRefusal(
  { active, startsAt, endsAt, maxRedemptions }: RedemptionLimits,
  { at, redemptions }: { readonly at: Date; readonly redemptions: number },
): RedemptionRefusal | null {
  if (!active) return 'DISCOUNT_INACTIVE';
  if (startsAt !== null && at < startsAt) return 'DISCOUNT_NOT_STARTED';
  if (endsAt !== null && at >= endsAt) return 'DISCOUNT_EXPIRED';
  if (maxRedemptions !== null && redemptions >= maxRedemptions) return 'DISCOUNT_EXHAUSTED';
  return null;
}

/** Comparison form of a code; codes are displayed as written. Codes are ASCII. */
export function discountCodeKey(code: string): string {
  return code.toLowerCase();
}
