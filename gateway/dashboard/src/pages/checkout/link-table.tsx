import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { ActivationButton, activeColumn, ActiveFilter } from '../../parts/resource/active';
import { Button, CopyButton } from '../../parts/element/buttons';
import { dayColumn } from '../../parts/table/columns';
import { useFilters } from '../../parts/form/filters';
import { DialogButton } from '../../parts/overlay/dialog';
import type { Column } from '../../parts/table/data-table';
import { EmptyState, Panel } from '../../parts/element/layout';
import { MetadataLines } from '../../parts/resource/metadata';
import { ResourceTable } from '../../parts/table/resource-table';
import { NamedLink } from '../../parts/element/named-link';
import { LinkEditForm, type ListedLink } from './link-form';
import { boundsText } from './link-terms';

const columnsOf = (onShowSessions: (id: string) => void): readonly Column<ListedLink>[] => [
  {
    title: 'Link',
    text: ({ label }) => label,
    cell: ({ label, url, metadata }) => (
      <>
        <a href={url} target="_blank" rel="noreferrer">
          {label}
        </a>
        <MetadataLines metadata={metadata} />
      </>
    ),
  },
  {
    title: 'URL',
    text: ({ url }) => url,
    cell: ({ label, url }) => <CopyButton text={url} what={`URL of ${label}`} />,
  },
  {
    title: 'ID',
    text: ({ id }) => id,
    cell: ({ id, label }) => <CopyButton text={id} what={`ID of ${label}`} />,
  },
  {
    title: 'Products',
    text: ({ products }) => products.map(({ id, name }) => name ?? id).join(', '),
    cell: ({ products }) => (
      <ul className="plain">
        {products.map(({ id, name }) => (
          <li key={id}>
            <NamedLink href={`/products/${id}`} {...{ id, name }} error={null} />
          </li>
        ))}
      </ul>
    ),
  },
  { title: 'Quantity', align: 'end', text: boundsText },
  {
    title: 'Discount',
    text: ({ discount }) => (discount === null ? '' : (discount.name ?? discount.id)),
    cell: ({ discount }) =>
      discount === null ? (
        '–'
      ) : (
        <NamedLink href={`/discounts/${discount.id}`} {...discount} error={null} />
      ),
  },
  activeColumn,
  dayColumn('Created', ({ createdAt }) => createdAt),
  {
    title: 'Actions',
    text: () => '',
    cell: (link) => <LinkActions {...{ link, onShowSessions }} />,
  },
];

/** Checkout links, which can be deactivated and activated. */
export function LinkTable({ onShowSessions }: { onShowSessions: (id: string) => void }) {
  const { values, field } = useFilters(['links.active']);
  return (
    <Panel title="Links">
      <div className="filters">
        <ActiveFilter {...field('links.active')} />
      </div>
      <ResourceTable<ListedLink>
        caption="Checkout links"
        path="/dashboard/api/checkout-links"
        query={{ active: values['links.active'] }}
        list="links"
        hasOrder
        columns={columnsOf(onShowSessions)}
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

function LinkActions({
  link,
  onShowSessions,
}: {
  link: ListedLink;
  onShowSessions: (id: string) => void;
}) {
  const { id, label, active } = link;
  const refusal = useRefusal('checkout-links');
  const change = useAction(
    (body: object) => ({
      method: 'PATCH',
      path: `/v1/checkout-links/${id}`,
      body,
    }),
    'Checkout link saved',
  );
  return (
    <div className="actions">
      <Button
        onClick={() => {
          onShowSessions(id);
        }}
      >
        Sessions
      </Button>
      <DialogButton label="Edit" title={`Edit ${label}`} tone="quiet" refusal={refusal}>
        {(close) => <LinkEditForm link={link} onSave={change.mutateAsync} onDone={close} />}
      </DialogButton>
      <ActivationButton
        active={active}
        what={label}
        refusal={refusal}
        onChange={change.mutateAsync}
        ending="The page says that the offer has ended. Checkouts in progress can still be completed."
        beginning="Customers can buy through this link again."
      />
    </div>
  );
}
