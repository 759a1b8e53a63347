import { cardText } from '@billing/gateway/card-text';
import type { toJsonInvoice } from '@billing/proto/json/invoice';
import { labelText, moneyText } from '../../parts/text/text';

export type Invoice = ReturnType<typeof toJsonInvoice>;
export type InvoiceLine = Invoice['lineItems'][number];
export type InvoicePayment = Invoice['payments'][number];

const billingReasonTexts: Readonly<Record<Invoice['billingReason'], string>> = {
  CHECKOUT: 'Checkout',
  SUBSCRIPTION_CREATE: 'First period',
  SUBSCRIPTION_CYCLE: 'Renewal',
  SUBSCRIPTION_CANCEL: 'Cancellation',
  SUBSCRIPTION_CHANGE: 'Plan change',
  MANUAL: 'One-off',
};

/** Billing reason of an invoice: “Renewal”. */
export function billingReasonText(reason: Invoice['billingReason']): string {
  return billingReasonTexts[reason];
}

/** Display name of an invoice: its number; a draft has none and shows its id. */
export function invoiceName({ number, id }: Pick<Invoice, 'number' | 'id'>): string {
  return number ?? `Draft ${id.slice(0, 8)}`;
}

/** Reason why an open invoice cannot be charged now; undefined if it can. */
export function chargeRefusal(
  invoice: Pick<Invoice, 'billingReason' | 'payments'>,
): string | undefined {
  if (isOfCheckout(invoice)) return 'This invoice is paid on its checkout page.';
  return inProgressRefusal(invoice);
}

/** Reason why an open invoice cannot be voided now; undefined if it can. */
export function voidRefusal(
  invoice: Pick<Invoice, 'billingReason' | 'payments' | 'creditNoteIds'>,
): string | undefined {
  if (isOfCheckout(invoice)) return 'This invoice is voided when its checkout expires.';
  const isPaidInPart = invoice.payments.some(({ status }) => status === 'SUCCEEDED');
  if (isPaidInPart) return 'A part of this invoice is paid.';
  if (invoice.creditNoteIds.length > 0) return 'This invoice has credit notes.';
  return inProgressRefusal(invoice);
}

/** Reason why an owed invoice cannot be settled by hand now; undefined if it can. */
export function settlementRefusal(
  invoice: Pick<Invoice, 'billingReason' | 'payments' | 'status'>,
): string | undefined {
  const isUnfinished = invoice.status === 'OPEN' && isOfCheckout(invoice);
  if (isUnfinished) return 'This invoice belongs to an open checkout.';
  return inProgressRefusal(invoice);
}

type Sums = Pick<Invoice, 'total' | 'amountPaid' | 'balanceApplied' | 'amountReduced'>;

/** Amount that is not paid and not credited, of invoices that were written off too. */
export function outstandingOf({ total, amountPaid, balanceApplied, amountReduced }: Sums): number {
  return total - amountPaid - balanceApplied - amountReduced;
}

/** True for an invoice that can still be paid. */
export function isOwed({ status }: Pick<Invoice, 'status'>): boolean {
  return status === 'OPEN' || status === 'UNCOLLECTIBLE';
}

/** True for an invoice that can be credited. */
export function isIssued(invoice: Pick<Invoice, 'status'>): boolean {
  return isOwed(invoice) || invoice.status === 'PAID';
}

/** Outcome of a payment attempt: “Paid.”, “Payment failed: card declined.”. */
export function attemptText({ status, failureCode }: InvoicePayment): string {
  switch (status) {
    case 'SUCCEEDED':
      return 'Paid.';
    case 'FAILED':
      return `Payment failed: ${reasonText(failureCode)}.`;
    case 'REQUIRES_ACTION':
      return 'The customer has to confirm this payment with their bank.';
    default:
      return 'The payment is in progress.';
  }
}

/** Source of a payment: “Visa 4242”, or its method where no card is known. */
export function paymentSource({ method, card }: Pick<InvoicePayment, 'method' | 'card'>): string {
  return card === null ? labelText(method) : cardText(card.brand, card.last4);
}

/** A payment's failure, or reference, overpayment and refunds: “Statement 7, $5.00 refunded”. */
export function paymentDetails(payment: InvoicePayment): string {
  const { failureCode, reference, overpayment, amountRefunded, currency } = payment;
  return [
    failureCode === null ? '' : labelText(failureCode),
    reference ?? '',
    overpayment === 0 ? '' : `${moneyText(overpayment, currency)} to the balance`,
    amountRefunded === 0 ? '' : `${moneyText(amountRefunded, currency)} refunded`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** Failure code as text: “card declined”. */
export function reasonText(failureCode: string | null): string {
  return (failureCode ?? 'unknown').replaceAll('_', ' ');
}

/** Code of a payment error as a sentence: “Card declined”. */
export function errorText(code: string): string {
  if (code === 'no_payment_provider') return 'No payment provider is configured';
  const text = reasonText(code);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

// The invoice of a checkout is open while its session is open.
function isOfCheckout({ billingReason }: Pick<Invoice, 'billingReason'>): boolean {
  return billingReason === 'CHECKOUT';
}

function inProgressRefusal({ payments }: Pick<Invoice, 'payments'>): string | undefined {
  const isInProgress = payments.some(({ status }) => status === 'PENDING');
  return isInProgress ? 'A payment is in progress.' : undefined;
}
