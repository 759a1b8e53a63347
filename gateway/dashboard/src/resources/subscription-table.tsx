import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Query } from '../api/client';
import { dayColumn } from '../parts/table/columns';
import type { Column } from '../parts/table/data-table';
import { ResourceTable } from '../parts/table/resource-table';
import { countText, labelText } from '../parts/text/text';
import { Day, StatusBadge } from '../parts/element/values';
import { customerName } from './customer';
import { priceText } from './product';
import { ProductLinks, SubscriptionNamed } from './product-links';
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
  cell: ({ id, productId, items: [, ...others] }) => (
    <>
      <SubscriptionNamed id={id} productId={productId} />
      <ProductLinks ids={others.map((item) => item.productId)} />
    </>
  ),
};

const productColumn: Column<Subscription> = {
  title: 'Product',
  text: ({ items }) => items.map(({ productId }) => productId).join(' '),
  cell: ({ items }) => <ProductLinks ids={items.map(({ productId }) => productId)} />,
};

const columns: readonly Column<Subscription>[] = [
  {
    title: 'Status',
    text: (subscription) => labelText(displayedStatus(subscription)),
    cell: (subscription) => <StatusBadge status={displayedStatus(subscription)} />,
  },
  {
    title: 'Price',
    text: ({ items }) => items.map(itemPrice).join('; '),
    cell: ({ items }) => <Lines texts={items.map(itemPrice)} />,
  },
  {
    title: 'Quantity',
    align: 'end',
    text: ({ items }) => items.map(({ quantity }) => String(quantity)).join('; '),
    cell: ({ items }) => <Lines texts={items.map(({ quantity }) => countText(quantity))} />,
  },
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

function itemPrice({ price }: Subscription['items'][number]): string {
  return price === null ? '–' : priceText(price);
}

/** A line for each item. */
function Lines({ texts }: { texts: readonly string[] }) {
  return texts.map((text, index) => <div key={index}>{text}</div>);
}

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
