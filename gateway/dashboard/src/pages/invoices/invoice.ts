import type { toJsonInvoice } from '@billing/proto/json/invoice';
import { instantText } from '../../parts/text';

export type Invoice = ReturnType<typeof toJsonInvoice>;
export type InvoiceLine = Invoice['lineItems'][number];
export type InvoicePayment = Invoice['payments'][number];

/** What an invoice is called: by its number, which a draft has none of. */
export function invoiceName({ number, id }: Pick<Invoice, 'number' | 'id'>): string {
  return number ?? `Draft ${id.slice(0, 8)}`;
}

/** Why one cannot have an open invoice charged now; undefined: one can. */
export function chargeRefusal(
  invoice: Pick<Invoice, 'billingReason' | 'payments'>,
): string | undefined {
  if (isOfCheckout(invoice)) return 'It is paid on the page of its checkout.';
  return underWayRefusal(invoice);
}

/** Why one cannot void an open invoice now; undefined: one can. */
export function voidRefusal(
  invoice: Pick<Invoice, 'billingReason' | 'payments'>,
): string | undefined {
  if (isOfCheckout(invoice)) return 'It is voided when its checkout expires.';
  return underWayRefusal(invoice);
}

/** What came of the last attempt to collect an invoice: “Paid.”, “Not paid: card declined.”. */
export function attemptText({ status, failureCode }: InvoicePayment): string {
  switch (status) {
    case 'SUCCEEDED':
      return 'Paid.';
    case 'FAILED':
      return `Not paid: ${reasonText(failureCode)}.`;
    case 'REQUIRES_ACTION':
      return 'The payer has to confirm this payment with their bank.';
    default:
      return 'The payment is under way.';
  }
}

/** A failure for readers: “card declined”. */
export function reasonText(failureCode: string | null): string {
  return (failureCode ?? 'unknown').replaceAll('_', ' ');
}

/** Why nothing was charged last: “card declined, 2026-03-01 12:30:00 UTC”. */
export function errorText({ code, at }: NonNullable<Invoice['lastPaymentError']>): string {
  const reason =
    code === 'no_payment_provider' ? 'no payment provider is configured' : reasonText(code);
  return at === null ? reason : `${reason}, ${instantText(at)}`;
}

// A checkout's invoice is open as long as its session is.
function isOfCheckout({ billingReason }: Pick<Invoice, 'billingReason'>): boolean {
  return billingReason === 'CHECKOUT';
}

function underWayRefusal({ payments }: Pick<Invoice, 'payments'>): string | undefined {
  const isUnderWay = payments.some(({ status }) => status === 'PENDING');
  return isUnderWay ? 'A payment is under way.' : undefined;
}
