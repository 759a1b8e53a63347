import type { overviewOf } from '@billing/gateway/operator/money-report-routes';

export type Overview = Awaited<ReturnType<typeof overviewOf>>;
export type RecurringRevenue = Overview['mrr'][number];

/** Change since the previous month in the smallest unit; undefined without a previous month. */
export function changeOf({ months }: Pick<RecurringRevenue, 'months'>): bigint | undefined {
  const [before, now] = months.slice(-2);
  if (before === undefined || now === undefined) return undefined;
  return BigInt(now.amount) - BigInt(before.amount);
}

/** Midnight in UTC that ends the day of an instant. */
export function endOfDay(now: string): string {
  const midnight = new Date(now);
  midnight.setUTCHours(24, 0, 0, 0);
  return midnight.toISOString();
}

/** Command that creates a first customer. */
export function firstCall(origin: string): string {
  return [
    `curl ${origin}/v1/customers \\`,
    `  -H 'Authorization: Bearer YOUR_KEY' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"email": "ada@example.com", "name": "Ada Lovelace"}'`,
  ].join('\n');
}
