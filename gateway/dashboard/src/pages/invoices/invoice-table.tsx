import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Query } from '../../api/client';
import type { Column } from '../../parts/data-table';
import { ResourceTable } from '../../parts/resource-table';
import { dayText, moneyText, wordsText } from '../../parts/text';
import { Day, Money, StatusBadge } from '../../parts/values';
import { CustomerLink } from '../customers/customer-link';
import { type Invoice, invoiceName } from './invoice';

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
  {
    title: 'Total',
    align: 'end',
    text: ({ total, currency }) => moneyText(total, currency),
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
  {
    title: 'Due',
    align: 'end',
    text: ({ amountDue, currency }) => moneyText(amountDue, currency),
    cell: ({ amountDue, currency }) => <Money amount={amountDue} currency={currency} />,
  },
  { title: 'For', text: ({ billingReason }) => wordsText(billingReason) },
  {
    title: 'Made',
    text: ({ createdAt }) => dayText(createdAt),
    cell: ({ createdAt }) => <Day at={createdAt} />,
  },
];

const customer: Column<Invoice> = {
  title: 'Customer',
  text: ({ customerId }) => customerId,
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};

const [first, ...others] = columns;
const withCustomer: readonly Column<Invoice>[] = [
  ...(first === undefined ? [] : [first]),
  customer,
  ...others,
];

/** Invoices that a filter meets, newest first. */
export function InvoiceTable({
  query,
  empty,
  isOfOneCustomer = false,
}: {
  query: Query;
  empty: ReactNode;
  isOfOneCustomer?: boolean;
}) {
  return (
    <ResourceTable<Invoice>
      caption="Invoices"
      path="/v1/invoices"
      query={query}
      columns={isOfOneCustomer ? columns : withCustomer}
      rowKey={({ id }) => id}
      empty={empty}
    />
  );
}
