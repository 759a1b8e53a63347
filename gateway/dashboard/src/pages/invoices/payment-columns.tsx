import { instantColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { wordsText } from '../../parts/text/text';
import { StatusBadge } from '../../parts/element/values';
import { type InvoicePayment, reasonText } from '../../resources/invoice';

/** Columns of payment attempts. */
export const paymentColumns: readonly Column<InvoicePayment>[] = [
  instantColumn('Time', ({ createdAt }) => createdAt),
  {
    title: 'Status',
    text: ({ status }) => wordsText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  moneyColumn(
    'Amount',
    ({ amount }) => amount,
    ({ currency }) => currency,
  ),
  {
    title: 'Failure reason',
    text: ({ failureCode }) => (failureCode === null ? '' : reasonText(failureCode)),
  },
  { title: 'Provider', text: ({ provider }) => provider },
  {
    title: 'Provider ID',
    text: ({ providerPaymentId }) => providerPaymentId ?? '',
    cell: ({ providerPaymentId }) =>
      providerPaymentId === null ? '–' : <code>{providerPaymentId}</code>,
  },
];
