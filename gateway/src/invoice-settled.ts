import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';

/**
 * What lies between an invoice's total and what is due on it, by name: what was paid, and what
 * nobody will pay any more.
 */
export function settledRows({
  total,
  amountPaid,
  amountDue,
}: Pick<Invoice, 'total' | 'amountPaid' | 'amountDue'>): (readonly [string, bigint])[] {
  const notPaid = total - amountPaid - amountDue;
  return [
    ...(amountPaid === 0n ? [] : [['Paid', -amountPaid] as const]),
    ...(notPaid === 0n ? [] : [['Not paid', -notPaid] as const]),
  ];
}
