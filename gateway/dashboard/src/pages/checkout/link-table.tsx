import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { ActivationButton, activeColumn, ActiveFilter } from '../../parts/active';
import { CopyButton } from '../../parts/buttons';
import { countColumn, dayColumn } from '../../parts/columns';
import type { Column } from '../../parts/data-table';
import { EmptyState, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { DiscountLink } from '../discounts/discount-link';
import type { CheckoutLink } from './link-form';

const columns: readonly Column<CheckoutLink>[] = [
  {
    title: 'Link',
    text: ({ label }) => label,
    cell: ({ label, url }) => (
      <a href={url} target="_blank" rel="noreferrer">
        {label}
      </a>
    ),
  },
  {
    title: 'Address',
    text: ({ url }) => url,
    cell: ({ label, url }) => <CopyButton text={url} what={`the address of ${label}`} />,
  },
  countColumn('Products', ({ productIds }) => productIds.length),
  {
    title: 'Discount',
    text: ({ discountId }) => discountId ?? '',
    cell: ({ discountId }) => (discountId === null ? '–' : <DiscountLink id={discountId} />),
  },
  activeColumn,
  dayColumn('Since', ({ createdAt }) => createdAt),
  { title: 'Actions', text: () => '', cell: (link) => <LinkActions link={link} /> },
];

/** The public offers, each to be switched off and on. */
export function LinkTable() {
  const [active, setActive] = useState('');
  return (
    <Panel title="Links">
      <div className="filters">
        <ActiveFilter value={active} onChange={setActive} />
      </div>
      <ResourceTable<CheckoutLink>
        caption="Checkout links"
        path="/v1/checkout-links"
        query={{ active }}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No links here">
            Make one with <em>New link</em>, and put its address where people look for what you
            sell.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function LinkActions({ link: { id, label, active } }: { link: CheckoutLink }) {
  const refusal = useRefusal('checkout-links');
  const change = useAction((body: { active: boolean }) => ({
    method: 'PATCH',
    path: `/v1/checkout-links/${id}`,
    body,
  }));
  return (
    <ActivationButton
      active={active}
      what={label}
      refusal={refusal}
      onChange={change.mutateAsync}
      ending="Its page tells visitors that the offer is over. Whoever has begun to pay can go on."
      beginning="Whoever opens its address can buy again."
    />
  );
}
