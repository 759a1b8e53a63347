import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import type { PeriodRates } from '../subscription/usage-billing';

/** An event may be 35 days late; one more day allows for clock differences and calls in flight. */
export const lateForMs = 36 * 24 * 60 * 60 * 1000;

/** Records by which set of meter prices a period is billed; the first record of a period stays. */
export function pinRates(
  subscription: Subscription,
  { periodIndex, set }: { readonly periodIndex: number; readonly set: number },
): Subscription {
  const { usage } = subscription;
  const last = usage.rates.at(-1);
  if (last !== undefined && last.through >= periodIndex) return subscription;
  const continues = last?.set === set && last.through === periodIndex - 1;
  const rates = continues
    ? [...usage.rates.slice(0, -1), { ...last, through: periodIndex }]
    : [...usage.rates, { from: periodIndex, through: periodIndex, set }];
  const kept = rates.filter(({ through }) => mayBeSettled(subscription, through, periodIndex));
  return { ...subscription, usage: { ...usage, rates: kept } };
}

/** Number of the meter price set that a period is billed by; undefined when none is recorded. */
export function pinnedSet({ usage }: Subscription, periodIndex: number): number | undefined {
  const holds = ({ from, through }: PeriodRates) => from <= periodIndex && periodIndex <= through;
  return usage.rates.find(holds)?.set;
}

/**
 * Time at which a period's meter prices are read: prices that changed before the subscription was
 * created count for its first period.
 */
export function ratesAt(periodStart: Date, { createdAt }: { readonly createdAt: Date }): Date {
  return periodStart >= createdAt ? periodStart : createdAt;
}

/** True while an event of a period may be accepted after an instant. */
export function mayStillChange(subscription: Subscription, periodIndex: number, at: Date): boolean {
  return periodOf(subscription, periodIndex).end.getTime() > at.getTime() - lateForMs;
}

/**
 * True when a settlement made after another period's bill may include a period. The settlement of
 * an end follows the bill of the last period but one, when the end came too soon for the last
 * one's.
 */
export function mayBeSettled(
  subscription: Subscription,
  periodIndex: number,
  billedIndex: number,
): boolean {
  const { start } = periodOf(subscription, Math.max(billedIndex - 1, 0));
  return mayStillChange(subscription, periodIndex, start);
}
