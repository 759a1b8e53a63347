import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { DialogButton } from '../../parts/overlay/dialog';
import { instantColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { StatusBadge } from '../../parts/element/values';
import { instantText } from '../../parts/text/time-text';
import { ProductLink } from '../../resources/product-links';
import { amountsText, type PriceMigration, progressText } from './price-migration';
import { PriceMigrationForm } from './price-migration-form';

const refetchMs = 5_000;

const columns: readonly Column<PriceMigration>[] = [
  {
    title: 'Started',
    text: ({ createdAt }) => createdAt,
    cell: ({ id, createdAt }) => (
      <Link href={`/price-migrations/${id}`}>{instantText(createdAt)}</Link>
    ),
  },
  {
    title: 'New product',
    text: ({ toProductId }) => toProductId,
    cell: ({ toProductId }) => <ProductLink id={toProductId} />,
  },
  {
    title: 'Status',
    text: ({ status }) => status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { title: 'Dry run', text: ({ dryRun }) => (dryRun ? 'Yes' : 'No') },
  { title: 'Processed', align: 'end', text: progressText },
  {
    title: 'Amount a month',
    align: 'end',
    text: (job) => amountsText(job, job.currency),
  },
  instantColumn('Ended', ({ completedAt }) => completedAt),
];

/** List of price migrations, with a form for a new one. */
export function PriceMigrationListPage() {
  const refusal = useRefusal('price-migrations');
  return (
    <PageLayout
      title="Price migrations"
      back={{ href: '/products', label: 'Products' }}
      lead="Move all subscriptions from one price to another."
      actions={
        <DialogButton label="New migration" title="New price migration" refusal={refusal}>
          {(close) => <PriceMigrationForm onDone={close} />}
        </DialogButton>
      }
    >
      <Panel>
        <ResourceTable<PriceMigration>
          caption="Price migrations"
          path="/v1/price-migrations"
          hasOrder
          refetchMs={refetchMs}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No price migrations">
              Start one with <em>New migration</em>. A dry run shows its result first.
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}
