import { instantColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { wordsText } from '../../parts/text/text';
import { StatusBadge } from '../../parts/element/values';
import {
  type InvoicePayment,
  paymentDetails,
  paymentSource,
} from '../../resources/invoice/invoice';

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
  { title: 'Method', text: paymentSource },
  { title: 'Details', text: paymentDetails },
  { title: 'Provider', text: ({ provider }) => provider },
  {
    title: 'Provider ID',
    text: ({ providerPaymentId }) => providerPaymentId ?? '',
    cell: ({ providerPaymentId }) =>
      providerPaymentId === null ? '–' : <code>{providerPaymentId}</code>,
  },
];
