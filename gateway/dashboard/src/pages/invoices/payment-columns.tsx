import { instantColumn, moneyColumn } from '../../parts/columns';
import type { Column } from '../../parts/data-table';
import { wordsText } from '../../parts/text';
import { StatusBadge } from '../../parts/values';
import { type InvoicePayment, reasonText } from './invoice';

/** Attempts to collect, as they were made. */
export const paymentColumns: readonly Column<InvoicePayment>[] = [
  instantColumn('When', ({ createdAt }) => createdAt),
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
    title: 'Why it failed',
    text: ({ failureCode }) => (failureCode === null ? '' : reasonText(failureCode)),
  },
  { title: 'Provider', text: ({ provider }) => provider },
  {
    title: 'Provider’s id',
    text: ({ providerPaymentId }) => providerPaymentId ?? '',
    cell: ({ providerPaymentId }) =>
      providerPaymentId === null ? '–' : <code>{providerPaymentId}</code>,
  },
];
