import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';

/**
 * Named differences between the total and the amount due of an invoice: what the customer's balance
 * has paid, the paid amount, the credited amount, and the amount that will no longer be paid.
 */
export function settledRows({
  total,
  amountPaid,
  amountDue,
  balanceApplied,
  amountReduced,
}: Pick<
  Invoice,
  'total' | 'amountPaid' | 'amountDue' | 'balanceApplied' | 'amountReduced'
>): (readonly [string, bigint])[] {
  const notPaid = total - balanceApplied - amountPaid - amountReduced - amountDue;
  return [
    ...(balanceApplied === 0n ? [] : [['Balance applied', -balanceApplied] as const]),
    ...(amountPaid === 0n ? [] : [['Paid', -amountPaid] as const]),
    ...(amountReduced === 0n ? [] : [['Credited', -amountReduced] as const]),
    ...(notPaid === 0n ? [] : [['Not paid', -notPaid] as const]),
  ];
}
