import type { Column } from '../../parts/data-table';
import { instantText, moneyText, wordsText } from '../../parts/text';
import { Instant, Money, StatusBadge } from '../../parts/values';
import { type InvoicePayment, reasonText } from './invoice';

/** Attempts to collect, as they were made. */
export const paymentColumns: readonly Column<InvoicePayment>[] = [
  {
    title: 'When',
    text: ({ createdAt }) => instantText(createdAt),
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  {
    title: 'Status',
    text: ({ status }) => wordsText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    title: 'Amount',
    align: 'end',
    text: ({ amount, currency }) => moneyText(amount, currency),
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
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
