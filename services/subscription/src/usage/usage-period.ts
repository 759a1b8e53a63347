import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import type { PeriodRates, PeriodSets } from '../subscription/usage-billing';
import { isMetered } from '../subscription/usage-stretch';

/** An event may be 35 days late; one more day allows for clock differences and calls in flight. */
export const lateForMs = 36 * 24 * 60 * 60 * 1000;

/** Records by which set of meter prices a period is billed; the first record of a period stays. */
export function pinRates(
  subscription: Subscription,
  { periodIndex, set, others }: { readonly periodIndex: number } & PeriodSets,
): Subscription {
  const { usage } = subscription;
  const last = usage.rates.at(-1);
  if (last !== undefined && last.through >= periodIndex) return subscription;
  const sets = others === undefined ? { set } : { set, others };
  const continues =
    last?.set === set && last.through === periodIndex - 1 && isSameSets(last.others, others);
  const rates = continues
    ? [...usage.rates.slice(0, -1), { ...last, through: periodIndex }]
    : [...usage.rates, { from: periodIndex, through: periodIndex, ...sets }];
  const kept = rates.filter(({ through }) => mayBeSettled(subscription, through, periodIndex));
  const pinned = { ...subscription, usage: { ...usage, rates: kept } };
  if (subscription.stretches === undefined) return pinned;
  const stretches = subscription.stretches.filter(({ through }) =>
    mayBeSettled(subscription, through, periodIndex),
  );
  return { ...pinned, stretches };
}

function isSameSets(a: PeriodSets['others'] = [], b: PeriodSets['others'] = []): boolean {
  const [left, right] = [a, b].map((sets) => sets.map(({ productId, set }) => [productId, set]));
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The sets of meter prices that a period is billed by; undefined when none are recorded. */
export function pinnedSets({ usage }: Subscription, periodIndex: number): PeriodSets | undefined {
  const holds = ({ from, through }: PeriodRates) => from <= periodIndex && periodIndex <= through;
  return usage.rates.find(holds);
}

/** The sets of a period without metered prices. */
export function noMeters({ items: [, ...others] }: Pick<Subscription, 'items'>): PeriodSets {
  if (others.length === 0) return { set: 0 };
  return { set: 0, others: others.map(({ productId }) => ({ productId, set: 0 })) };
}

/** True if a subscription has metered prices in a period that may still be billed. */
export function hasMeters({ usage }: Subscription): boolean {
  return usage.rates.some(isMetered);
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
  const at = endBefore(subscription, Math.max(billedIndex - 1, 0));
  return mayStillChange(subscription, periodIndex, at);
}

/**
 * End of the period before another one, when its usage is settled first. It is the start of the
 * other one, unless a pause is between them.
 */
export function endBefore(subscription: Subscription, periodIndex: number): Date {
  return periodIndex === 0
    ? periodOf(subscription, 0).start
    : periodOf(subscription, periodIndex - 1).end;
}
