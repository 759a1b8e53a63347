import type { toJsonInvoice } from '@billing/proto/json/invoice';
import { utcText } from '../parts/text/time-text';

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
  invoice: Pick<Invoice, 'billingReason' | 'payments'>,
): string | undefined {
  if (isOfCheckout(invoice)) return 'This invoice is voided when its checkout expires.';
  return inProgressRefusal(invoice);
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

/** Failure code as text: “card declined”. */
export function reasonText(failureCode: string | null): string {
  return (failureCode ?? 'unknown').replaceAll('_', ' ');
}

/** Last payment error: “card declined, 2026-03-01 12:30:00 UTC”. */
export function errorText({ code, at }: NonNullable<Invoice['lastPaymentError']>): string {
  const reason =
    code === 'no_payment_provider' ? 'no payment provider is configured' : reasonText(code);
  return `${reason}, ${utcText(at)}`;
}

// The invoice of a checkout is open while its session is open.
function isOfCheckout({ billingReason }: Pick<Invoice, 'billingReason'>): boolean {
  return billingReason === 'CHECKOUT';
}

function inProgressRefusal({ payments }: Pick<Invoice, 'payments'>): string | undefined {
  const isInProgress = payments.some(({ status }) => status === 'PENDING');
  return isInProgress ? 'A payment is in progress.' : undefined;
}
