import { addMonths } from './billing-period';

/** Number of periods of a subscription that a discount covers. */
export type DiscountDuration = 'ONCE' | 'REPEATING' | 'FOREVER';

/** Duration of a discount. `durationInMonths` is for REPEATING only and at least 1. */
export interface DiscountSpan {
  readonly duration: DiscountDuration;
  readonly durationInMonths: number | null;
}

/** Starts of two periods: the first discounted one (null: none so far) and the one in question. */
export interface DiscountedPeriods {
  readonly first: Date | null;
  readonly start: Date;
}

/**
 * True if a discount applies to a period. The first invoiced period always has it. ONCE covers only
 * that period, FOREVER all. REPEATING covers periods that start within its calendar months from the
 * first one; in shorter months the last day counts. A REPEATING span without months is a bug and
 * throws an Error.
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
 * Limits of redemption: active, within [startsAt, endsAt), and a maximum number. Null: no limit.
 */
export interface RedemptionLimits {
  readonly active: boolean;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly maxRedemptions: number | null;
}

export type RedemptionRefusal =
  'DISCOUNT_INACTIVE' | 'DISCOUNT_NOT_STARTED' | 'DISCOUNT_EXPIRED' | 'DISCOUNT_EXHAUSTED';

/** Reason why a discount cannot be redeemed at `at` after `redemptions` others; null if it can. */
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
