import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';

/**
 * Named differences between the total and the amount due of an invoice: the paid amount and the
 * amount that will no longer be paid.
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
