import { X } from 'lucide-react';
import type { Ref } from 'react';
import { Link } from 'wouter';
import { Button, CopyButton } from '../../parts/element/buttons';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Instant, StatusBadge } from '../../parts/element/values';
import { ChoiceFilter, Filters, type FilterState, NamedFilter } from '../../parts/form/filters';
import { dayColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { countText, labelText } from '../../parts/text/text';
import { customerName } from '../../resources/customer';
import { ProductFilter } from '../../resources/pickers';
import { LinkName } from './link-name';
import { type CheckoutSession, sessionReason } from './checkout-session';

const statuses = [
  ['OPEN', 'Open'],
  ['COMPLETE', 'Complete'],
  ['EXPIRED', 'Expired'],
] as const;

/** Filters of the sessions. */
export const sessionFilterNames = ['status', 'productId', 'checkoutLinkId'] as const;

const columns: readonly Column<CheckoutSession>[] = [
  {
    title: 'Customer',
    text: ({ customer }) => customerName(customer),
    cell: ({ customer }) => (
      <Link href={`/customers/${customer.id}`}>{customerName(customer)}</Link>
    ),
  },
  {
    title: 'Product',
    text: ({ items }) => items.map(({ product }) => product.name).join(', '),
    cell: ({ items }) => (
      <ul className="plain">
        {items.map(({ product, quantity }) => (
          <li key={product.id}>
            <Link href={`/products/${product.id}`}>{product.name}</Link>
            {quantity > 1 && <span className="faint"> × {countText(quantity)}</span>}
          </li>
        ))}
      </ul>
    ),
  },
  moneyColumn(
    'Amount',
    ({ total }) => total,
    ({ currency }) => currency,
  ),
  {
    title: 'Status',
    text: ({ status }) => labelText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    title: 'Reason',
    text: sessionReason,
    cell: (session) => (
      <>
        {sessionReason(session)}
        {session.status === 'OPEN' && (
          <div className="faint">
            Expires <Instant at={session.expiresAt} />
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Link',
    text: ({ checkoutLinkId, checkoutLinkLabel }) => checkoutLinkLabel ?? checkoutLinkId ?? '–',
  },
  dayColumn('Created', ({ createdAt }) => createdAt),
  {
    title: 'ID',
    text: ({ id }) => id,
    cell: ({ id }) => <CopyButton text={id} what={`ID of session ${id}`} />,
  },
  {
    title: 'Page',
    text: ({ checkoutUrl }) => checkoutUrl,
    cell: ({ status, checkoutUrl, customer }) =>
      status === 'OPEN' && (
        <CopyButton text={checkoutUrl} what={`checkout page of ${customerName(customer)}`} />
      ),
  },
];

/** Checkout sessions with their state and its reason. The whole part can take the focus. */
export function SessionTable({
  filters,
  part,
  onShowAll,
}: {
  filters: FilterState<(typeof sessionFilterNames)[number]>;
  part: Ref<HTMLDivElement>;
  /** Removes the filter by link. */
  onShowAll: () => void;
}) {
  return (
    <div ref={part} role="group" aria-label="Sessions" tabIndex={-1} className="part">
      <Panel title="Sessions">
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
          <ProductFilter {...filters.field('productId')} />
          <LinkFilter id={filters.values.checkoutLinkId} onRemove={onShowAll} />
        </Filters>
        <Sessions filters={filters} />
      </Panel>
    </div>
  );
}

/** Filter by a link, which is chosen in the table of links. */
function LinkFilter({ id, onRemove }: { id: string; onRemove: () => void }) {
  if (id === '') return null;
  return (
    <NamedFilter name="Link">
      <Button onClick={onRemove}>
        <span className="unseen">Remove filter by link </span>
        <LinkName id={id} />
        <X aria-hidden="true" />
      </Button>
    </NamedFilter>
  );
}

function Sessions({ filters }: { filters: FilterState<(typeof sessionFilterNames)[number]> }) {
  return (
    <ResourceTable<CheckoutSession>
      caption="Checkout sessions"
      path="/dashboard/api/checkout-sessions"
      query={filters.values}
      columns={columns}
      rowKey={({ id }) => id}
      hasOrder
      empty={
        <EmptyState title={filters.isFiltered ? 'No sessions found' : 'No sessions yet'}>
          {filters.isFiltered
            ? 'Try other filters.'
            : 'Sessions of checkout links and of the API appear here.'}
        </EmptyState>
      }
    />
  );
}
