import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Query } from '../../api/client';
import { dayColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { wordsText } from '../../parts/text/text';
import { StatusBadge } from '../../parts/element/values';
import { customerColumn } from '../customer-link';
import { billingReasonText, type Invoice, invoiceName } from './invoice';
import { useInvoiceBulk } from './invoice-bulk';

const columns: readonly Column<Invoice>[] = [
  {
    title: 'Invoice',
    text: invoiceName,
    cell: (invoice) => (
      <Link className="number" href={`/invoices/${invoice.id}`}>
        {invoiceName(invoice)}
      </Link>
    ),
  },
  {
    title: 'Status',
    text: ({ status }) => wordsText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  moneyColumn(
    'Total',
    ({ total }) => total,
    ({ currency }) => currency,
  ),
  moneyColumn(
    'Amount due',
    ({ amountDue }) => amountDue,
    ({ currency }) => currency,
  ),
  {
    title: 'Reason',
    text: ({ billingReason }) => billingReasonText(billingReason),
    cell: ({ billingReason }) => <span className="phrase">{billingReasonText(billingReason)}</span>,
  },
  dayColumn('Created', ({ createdAt }) => createdAt),
];

const [first, ...others] = columns;
const withCustomer: readonly Column<Invoice>[] = [
  ...(first === undefined ? [] : [first]),
  customerColumn,
  ...others,
];

/** Invoices that match a filter, newest first. */
export function InvoiceTable({
  query,
  empty,
  isOfOneCustomer = false,
}: {
  query: Query;
  empty: ReactNode;
  isOfOneCustomer?: boolean;
}) {
  const bulk = useInvoiceBulk<Invoice>((invoice) => invoice);
  return (
    <ResourceTable<Invoice>
      caption="Invoices"
      path="/v1/invoices"
      hasOrder
      list={isOfOneCustomer ? 'invoices' : ''}
      query={query}
      columns={isOfOneCustomer ? columns : withCustomer}
      rowKey={({ id }) => id}
      bulk={bulk}
      empty={empty}
    />
  );
}
