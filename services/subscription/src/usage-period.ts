import { periodContaining } from '@billing/kernel/billing-period';
import { periodOf, type PeriodRates, type Subscription, type UsageBilling } from './subscription';

/** An event may come 35 days late; a day more is for clocks and for what is under way. */
export const lateForMs = 36 * 24 * 60 * 60 * 1000;

export const noUsageBilling: UsageBilling = {
  rates: [],
  lastBill: null,
  refunds: [],
  lateBillAt: null,
  held: null,
  unbilled: [],
};

/** Notes by which set of meter prices a period is billed; the first note about a period stays. */
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

/** The number of the set of meter prices that a period is billed by; undefined where nobody has noted it. */
export function pinnedSet({ usage }: Subscription, periodIndex: number): number | undefined {
  const holds = ({ from, through }: PeriodRates) => from <= periodIndex && periodIndex <= through;
  return usage.rates.find(holds)?.set;
}

/** When a period began for the subscription: prices that changed before it was made count for its first one. */
export function ratesAt(periodStart: Date, { createdAt }: { readonly createdAt: Date }): Date {
  return periodStart >= createdAt ? periodStart : createdAt;
}

/** The first period that was billed: that in which the subscription was made, where it started earlier. */
export function firstBilledPeriod(
  { anchor, price }: Subscription,
  { createdAt }: { readonly createdAt: Date },
): number {
  return createdAt <= anchor ? 0 : periodContaining(anchor, price, createdAt).index;
}

/** Whether an event of a period may still come after an instant. */
export function mayStillChange(subscription: Subscription, periodIndex: number, at: Date): boolean {
  return periodOf(subscription, periodIndex).end.getTime() > at.getTime() - lateForMs;
}

/**
 * Whether a period may be in a settlement that is made once another one is billed. That of an end comes after the bill of the period before
 * the last, where it came too soon for the last one's.
 */
export function mayBeSettled(
  subscription: Subscription,
  periodIndex: number,
  billedIndex: number,
): boolean {
  const { start } = periodOf(subscription, Math.max(billedIndex - 1, 0));
  return mayStillChange(subscription, periodIndex, start);
}
