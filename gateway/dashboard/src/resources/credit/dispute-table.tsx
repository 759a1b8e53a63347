import { Link } from 'wouter';
import { StatusBadge } from '../../parts/element/values';
import { dayColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { labelText, wordsText } from '../../parts/text/text';
import type { Dispute } from './credit-note';
import { customerColumn } from '../customer-link';

const opened = dayColumn<Dispute>('Opened', ({ openedAt }) => openedAt);
const others: readonly Column<Dispute>[] = [
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
  { title: 'Reason', text: ({ reason }) => labelText(reason) },
  dayColumn('Evidence due by', ({ evidenceDueBy }) => evidenceDueBy),
  dayColumn('Closed', ({ closedAt }) => closedAt),
];

/** Columns of the disputes of one invoice. */
export const disputeColumns: readonly Column<Dispute>[] = [
  opened,
  ...others,
  {
    title: 'Provider ID',
    text: ({ providerDisputeId }) => providerDisputeId,
    cell: ({ providerDisputeId }) => <code>{providerDisputeId}</code>,
  },
];

/** Columns of disputes of any invoice. */
export const allDisputeColumns: readonly Column<Dispute>[] = [
  opened,
  customerColumn,
  ...others,
  {
    title: 'Invoice',
    text: ({ invoiceId }) => invoiceId,
    cell: ({ invoiceId }) => <Link href={`/invoices/${invoiceId}`}>Invoice</Link>,
  },
];
