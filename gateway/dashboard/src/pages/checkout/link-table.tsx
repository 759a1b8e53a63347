import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { ActivationButton, activeColumn, ActiveFilter } from '../../parts/resource/active';
import { CopyButton } from '../../parts/element/buttons';
import { countColumn, dayColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { EmptyState, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { DiscountLink } from '../../resources/discount-link';
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
    title: 'URL',
    text: ({ url }) => url,
    cell: ({ label, url }) => <CopyButton text={url} what={`URL of ${label}`} />,
  },
  countColumn('Products', ({ productIds }) => productIds.length),
  {
    title: 'Discount',
    text: ({ discountId }) => discountId ?? '',
    cell: ({ discountId }) => (discountId === null ? '–' : <DiscountLink id={discountId} />),
  },
  activeColumn,
  dayColumn('Created', ({ createdAt }) => createdAt),
  { title: 'Actions', text: () => '', cell: (link) => <LinkActions link={link} /> },
];

/** Checkout links, which can be deactivated and activated. */
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
          <EmptyState title="No checkout links">
            Create one with <em>New link</em> and share its URL.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function LinkActions({ link: { id, label, active } }: { link: CheckoutLink }) {
  const refusal = useRefusal('checkout-links');
  const change = useAction(
    (body: { active: boolean }) => ({
      method: 'PATCH',
      path: `/v1/checkout-links/${id}`,
      body,
    }),
    'Checkout link saved',
  );
  return (
    <ActivationButton
      active={active}
      what={label}
      refusal={refusal}
      onChange={change.mutateAsync}
      ending="The page says that the offer has ended. Checkouts in progress can still be completed."
      beginning="Customers can buy through this link again."
    />
  );
}
