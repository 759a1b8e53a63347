import { nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import { owedInvoices } from '../subscription/open-invoices';
import type { Subscription } from '../subscription/subscription';
import type { DueSteps, LifeStep } from '../subscription/transition';
import { hasWaitingBills, isAlarming, isCycleEndOverLimit } from '../over-limit/over-limit-bill';

/** Limits that no correct subscription reaches. */
export interface BillingLimits {
  /** Largest number of unpaid invoices that a document has room for. */
  readonly openInvoicesMax: number;
  /** Invoices whose periods start within one day. */
  readonly invoicesADayMax: number;
}

/** The limit that keeps a subscription from renewing. */
export type RenewalLimit = 'OPEN_INVOICES' | 'INVOICES_A_DAY';

/**
 * The reason why operators are alarmed about a subscription: it is not renewed, or not billed any
 * more.
 */
export type ParkReason = RenewalLimit | 'USAGE_TOO_LARGE';

// A daily price that is sent as invoices has a month to be paid; a year and more of unpaid ones
// needs an operator. No interval is shorter than a day: several periods that start on one are a
// fault, which must not charge a customer repeatedly.
export const billingLimits: BillingLimits = { openInvoicesMax: 500, invoicesADayMax: 4 };

const dayMs = 86_400_000;

/**
 * The reason why the next period must not be entered; null: none. The limits are checked with every
 * write, so a subscription continues once the cause is gone and anything about it changes: an
 * invoice that is paid, or its metadata. Bills over the limit are another matter
 * (over-limit/over-limit-bill.ts): they stop no period.
 */
export function parkReason(
  subscription: Subscription,
  { openInvoicesMax, invoicesADayMax }: BillingLimits = billingLimits,
): RenewalLimit | null {
  if (owedInvoices(subscription).length >= openInvoicesMax) return 'OPEN_INVOICES';
  const next = nextPeriodIndex(subscription);
  if (next < invoicesADayMax) return null;
  const startOf = (index: number) => periodOf(subscription, index).start.getTime();
  return startOf(next) - startOf(next - invoicesADayMax) < dayMs ? 'INVOICES_A_DAY' : null;
}

/** Keeps a parked subscription from beginning a period. It may still end. */
export function withParking(life: DueSteps<LifeStep>): DueSteps<LifeStep> {
  return {
    ...life,
    next: (subscription) => {
      const step = life.next(subscription);
      const begins = step?.kind === 'ENTER_PERIOD' || step?.kind === 'RESUME';
      return begins && parkReason(subscription) !== null ? undefined : step;
    },
  };
}

/**
 * Records the time of a write that lets a parked subscription renew again: the periods that it
 * missed are caught up, and not late.
 */
export function withUnparking(before: Subscription, after: Subscription, now: Date): Subscription {
  const isUnparked = parkReason(before) !== null && parkReason(after) === null;
  return isUnparked ? { ...after, unparkedAt: now } : after;
}

/** True for an instant that a subscription has missed because it was parked. */
export function isCaughtUp({ unparkedAt }: Subscription, at: Date): boolean {
  return unparkedAt !== undefined && at < unparkedAt;
}

/** True while the subscription is not renewed, or not billed. */
export function isParked(subscription: Subscription): boolean {
  return parkReason(subscription) !== null || isUsageTooLarge(subscription);
}

/** The reason why an operator must look at a subscription, if any. An ended one never renews. */
export function parkedFor(subscription: Subscription): ParkReason | null {
  const limit = subscription.phase === 'ENDED' ? null : parkReason(subscription);
  return limit ?? (isUsageTooLarge(subscription) ? 'USAGE_TOO_LARGE' : null);
}

function isUsageTooLarge(subscription: Subscription): boolean {
  return hasWaitingBills(subscription) || isCycleEndOverLimit(subscription);
}

/** The reason why a write parks a subscription that was not parked for it before; null: none. */
export function parkedBy(before: Subscription, after: Subscription): ParkReason | null {
  if (parkReason(before) === null) {
    const limit = parkReason(after);
    if (limit !== null) return limit;
  }
  return isAlarming(before, after) ? 'USAGE_TOO_LARGE' : null;
}
