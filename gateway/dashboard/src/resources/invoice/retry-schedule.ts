import type {
  toJsonInvoiceAtRisk,
  toJsonInvoiceCollection,
} from '@billing/gateway/operator/dunning-routes';
import { pluralText } from '../../parts/text/text';

/** An invoice with its automatic charges. */
export type InvoiceCollection = ReturnType<typeof toJsonInvoiceCollection>;

/** The same with the name of its customer. */
export type InvoiceAtRisk = ReturnType<typeof toJsonInvoiceAtRisk>;

/** Retries after the next charge of an invoice: “then 2 more retries”, “the last retry”. */
export function laterText({
  firstFailedAt,
  laterAttempts,
}: Pick<InvoiceCollection, 'firstFailedAt' | 'laterAttempts'>): string | undefined {
  if (firstFailedAt === null) return undefined;
  if (laterAttempts === 0) return 'the last retry';
  return `then ${pluralText(laterAttempts, 'more retry', 'more retries')}`;
}

/** Reason why an open invoice has no next charge. */
export function notScheduledText({
  awaitsProvider,
  invoice: { collectionMethod, billingReason },
}: Pick<InvoiceCollection, 'awaitsProvider'> & {
  readonly invoice: Pick<InvoiceCollection['invoice'], 'collectionMethod' | 'billingReason'>;
}): string {
  if (awaitsProvider) return 'When a payment provider is configured';
  if (billingReason === 'CHECKOUT') return 'Paid on its checkout page';
  return collectionMethod === 'SEND_INVOICE' ? 'Not charged automatically' : 'None scheduled';
}
