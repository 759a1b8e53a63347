import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { Shown } from './reader';
import { say } from './say';

/** Label and amount. */
export type SumRow = readonly [Shown, bigint];

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
>): SumRow[] {
  const notPaid = total - balanceApplied - amountPaid - amountReduced - amountDue;
  const rows = [
    [say('invoice.balanceApplied'), -balanceApplied],
    [say('invoice.amountPaid'), -amountPaid],
    [say('invoice.credited'), -amountReduced],
    [say('invoice.notPaid'), -notPaid],
  ] as const;
  return rows.filter(([, amount]) => amount !== 0n);
}
