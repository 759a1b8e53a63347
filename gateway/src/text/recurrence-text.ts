import type { BillingInterval, Recurrence } from '@billing/kernel/billing-period';

const units: Readonly<Record<BillingInterval, { readonly name: string; readonly size: number }>> = {
  DAILY: { name: 'day', size: 1 },
  WEEKLY: { name: 'week', size: 1 },
  MONTHLY: { name: 'month', size: 1 },
  QUARTERLY: { name: 'month', size: 3 },
  YEARLY: { name: 'year', size: 1 },
  ONE_TIME: { name: 'time', size: 1 },
};

/** Recurrence in words: `every month`, `every 2 weeks`. */
export function every({ billingInterval: interval, intervalCount }: Recurrence): string {
  const { name, size } = units[interval];
  const count = size * intervalCount;
  return count === 1 ? `every ${name}` : `every ${String(count)} ${name}s`;
}
