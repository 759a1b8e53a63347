import type { BillingReason, BillPeriod, InvoiceFacts } from '../subscription/command';
import { takeDiscount } from '../subscription/discount';
import { openInvoice } from '../subscription/open-invoices';
import { withPutOffOn } from '../subscription/put-off';
import type { Subscription } from '../subscription/subscription';
import type { InvoiceIdOf } from '../subscription/transition';

/** How a period's invoice was ordered. */
export interface PeriodBilling {
  readonly reason: BillingReason;
  readonly authorizedTransactionId: string | null;
  readonly invoiceIdOf: InvoiceIdOf;
  /** Facts that the order has read already. */
  readonly facts?: InvoiceFacts | undefined;
}

/**
 * Enters a period that is billed. The write that orders its invoice also records it as open, so a
 * result for an invoice that is not open can only belong to a finished invoice.
 */
export function enterPeriod(
  subscription: Subscription,
  periodIndex: number,
  { reason, authorizedTransactionId, invoiceIdOf, facts }: PeriodBilling,
): { state: Subscription; command: BillPeriod } {
  const invoiceId = invoiceIdOf(periodIndex);
  const changes = { ...subscription.changes, period: null };
  const entered: Subscription = {
    ...withPutOffOn({ ...subscription, changes }, periodIndex),
    ...{ phase: 'REGULAR', periodIndex },
  };
  const { state, isDiscounted } = takeDiscount(entered, periodIndex);
  return {
    state: openInvoice(state, { invoiceId, periodIndex }),
    command: {
      type: 'billPeriod',
      payload: {
        ...{ periodIndex, invoiceId, reason, authorizedTransactionId, isDiscounted },
        ...(facts !== undefined && { facts }),
      },
    },
  };
}
