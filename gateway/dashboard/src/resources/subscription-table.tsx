import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Query } from '../api/client';
import { countColumn, dayColumn } from '../parts/table/columns';
import type { Column } from '../parts/table/data-table';
import { ResourceTable } from '../parts/table/resource-table';
import { labelText } from '../parts/text/text';
import { Day, StatusBadge } from '../parts/element/values';
import { customerName } from './customer';
import { priceText } from './product';
import { ProductLink, SubscriptionNamed } from './product-links';
import { nextStep, displayedStatus, type Subscription } from './subscription';
import { useSubscriptionBulk } from './subscription-bulk';

const customerColumn: Column<Subscription> = {
  title: 'Customer',
  text: ({ customer, customerId }) => (customer === null ? customerId : customerName(customer)),
  cell: ({ id, customer, customerId }) => (
    <Link href={`/subscriptions/${id}`}>
      {customer === null ? customerId : customerName(customer)}
    </Link>
  ),
};

const subscriptionColumn: Column<Subscription> = {
  title: 'Subscription',
  text: ({ id }) => id,
  cell: ({ id, productId }) => <SubscriptionNamed id={id} productId={productId} />,
};

const productColumn: Column<Subscription> = {
  title: 'Product',
  text: ({ productId }) => productId,
  cell: ({ productId }) => <ProductLink id={productId} />,
};

const columns: readonly Column<Subscription>[] = [
  {
    title: 'Status',
    text: (subscription) => labelText(displayedStatus(subscription)),
    cell: (subscription) => <StatusBadge status={displayedStatus(subscription)} />,
  },
  {
    title: 'Price',
    text: ({ price }) => (price === null ? '' : priceText(price)),
  },
  countColumn('Quantity', ({ quantity }) => quantity),
  {
    title: 'Next',
    text: (subscription) => {
      const next = nextStep(subscription);
      return next === undefined ? '' : `${next.what} ${next.at}`;
    },
    cell: (subscription) => <Next next={nextStep(subscription)} />,
  },
  dayColumn('Started', ({ startAt }) => startAt),
];

function Next({ next }: { next: ReturnType<typeof nextStep> }) {
  if (next === undefined) return '–';
  return (
    <>
      {next.what} <Day at={next.at} />
    </>
  );
}

/** Subscriptions that match a filter, newest first. */
export function SubscriptionTable({
  query,
  empty,
  isOfOneCustomer = false,
}: {
  query: Query;
  empty: ReactNode;
  isOfOneCustomer?: boolean;
}) {
  const bulk = useSubscriptionBulk();
  return (
    <ResourceTable<Subscription>
      caption="Subscriptions"
      path="/v1/subscriptions"
      hasOrder
      list={isOfOneCustomer ? 'subscriptions' : ''}
      query={query}
      columns={[
        ...(isOfOneCustomer ? [subscriptionColumn] : [customerColumn, productColumn]),
        ...columns,
      ]}
      rowKey={({ id }) => id}
      bulk={bulk}
      empty={empty}
    />
  );
}
