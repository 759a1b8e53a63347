import { useRefusal } from '../../api/environment';
import type { BulkActions } from '../../parts/table/bulk-actions';
import {
  attemptText,
  chargeRefusal,
  type Invoice,
  invoiceName,
  settlementRefusal,
  voidRefusal,
} from './invoice';

/** Charge and void of several invoices; `invoiceOf` returns the invoice of a row. */
export function useInvoiceBulk<Row>(invoiceOf: (row: Row) => Invoice): BulkActions<Row> {
  const refusal = useRefusal('invoices');
  return {
    noun: 'invoice',
    nameOf: (row) => invoiceName(invoiceOf(row)),
    actions: [
      {
        label: 'Charge',
        refusal,
        consequence: 'Charges each card once. Scheduled retries stay as they are.',
        refusalOf: (row) => notOpenRefusal(invoiceOf(row)) ?? chargeRefusal(invoiceOf(row)),
        request: (row) => ({
          method: 'POST',
          path: `/v1/invoices/${invoiceOf(row).id}/pay`,
          body: {},
        }),
        outcomeOf: (answer) => chargeOutcome(answer as Invoice),
      },
      {
        label: 'Mark uncollectible',
        tone: 'danger',
        refusal,
        consequence:
          'Automatic retries end. The subscriptions continue, and the invoices can still be paid.',
        refusalOf: (row) => notOpenRefusal(invoiceOf(row)) ?? settlementRefusal(invoiceOf(row)),
        request: (row) => ({
          method: 'POST',
          path: `/v1/invoices/${invoiceOf(row).id}/mark-uncollectible`,
          body: {},
        }),
        outcomeOf: () => ({ isDone: true, text: 'Written off.' }),
      },
      {
        label: 'Void',
        tone: 'danger',
        refusal,
        consequence: 'The customers no longer owe these invoices. This can’t be undone.',
        refusalOf: (row) => notOpenRefusal(invoiceOf(row)) ?? voidRefusal(invoiceOf(row)),
        request: (row) => ({
          method: 'POST',
          path: `/v1/invoices/${invoiceOf(row).id}/void`,
          body: {},
        }),
        outcomeOf: () => ({ isDone: true, text: 'Voided.' }),
      },
    ],
  };
}

function notOpenRefusal({ status }: Invoice): string | undefined {
  return status === 'OPEN' ? undefined : 'The invoice is not open.';
}

function chargeOutcome({ status, payments }: Invoice) {
  const attempt = payments.at(-1);
  if (status === 'PAID') return { isDone: true, text: 'Paid.' };
  return { isDone: false, text: attempt === undefined ? 'Not charged.' : attemptText(attempt) };
}
