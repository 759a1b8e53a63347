import type { BillingInterval, Recurrence } from '@billing/kernel/billing-period';
import type { Shown } from '@billing/documents/reader';
import { say } from '@billing/documents/say';

const units = {
  DAILY: { key: 'every.day', size: 1 },
  WEEKLY: { key: 'every.week', size: 1 },
  MONTHLY: { key: 'every.month', size: 1 },
  QUARTERLY: { key: 'every.month', size: 3 },
  YEARLY: { key: 'every.year', size: 1 },
} as const satisfies Readonly<Record<Exclude<BillingInterval, 'ONE_TIME'>, object>>;

/** Recurrence in words: `every month`, `every 2 weeks`. */
export function every({ billingInterval, intervalCount }: Recurrence): Shown {
  if (billingInterval === 'ONE_TIME') throw new Error('A one-time price does not recur');
  const { key, size } = units[billingInterval];
  return say(key, { count: size * intervalCount });
}
