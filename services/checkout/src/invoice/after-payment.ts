import { only, type Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { isReportedAfterWriteOff, withResult } from './collection-result';
import { type Invoice, type InvoiceRecord, outstandingOf, pay, payableOf } from './invoice';
import { endDunning } from './retry-schedule';

/**
 * Next state of an invoice to whose payments a success was added. It is PAID once nothing is
 * outstanding; a part payment leaves its status and its dates. The payment of an invoice that a
 * caller has written off is reported, too: access may depend on it. At the end of dunning the
 * subscription has ended, and nothing is reported.
 */
export function afterPayment(
  invoice: Invoice,
  { number, now }: Pick<Attempt, 'number'> & { readonly now: Date },
): Transition<InvoiceRecord> {
  if (outstandingOf(invoice) > 0n) {
    const isWrittenOff = invoice.status === 'OPEN' && invoice.ended === 'WRITTEN_OFF';
    return isWrittenOff ? endDunning(invoice, now) : only(invoice);
  }
  const paid = pay(invoice, now);
  if (invoice.status === 'UNCOLLECTIBLE' && !isReportedAfterWriteOff(invoice)) return only(paid);
  // If nothing was due, the attempt verified the method.
  return payableOf(invoice) === 0n
    ? withResult(paid, { outcome: 'NOTHING_DUE', attempt: 0 })
    : withResult(paid, { outcome: 'SUCCEEDED', attempt: number });
}

/** Adds the command that credits what a payment has paid beyond the outstanding amount. */
export function withOverpayment(
  { state, events, commands }: Transition<InvoiceRecord>,
  { id: paymentId, overpayment }: { readonly id: string; readonly overpayment: bigint },
): Transition<InvoiceRecord> {
  if (overpayment === 0n) return { state, events, commands };
  const command = { type: 'creditOverpayment', payload: { paymentId } };
  return { state, events, commands: [command, ...commands] };
}
