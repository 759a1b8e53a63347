import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { Answer, Progress } from '../../parts/element/notices';
import { ClockTime, Facts, Instant, ShortId, StatusBadge } from '../../parts/element/values';
import { ChoiceFilter, Filters, useFilters } from '../../parts/form/filters';
import { isTime } from '../../parts/form/when';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { MetadataPanel } from '../../parts/resource/metadata';
import { dayColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { countText } from '../../parts/text/text';
import { AuditLink } from '../../resources/audit/audit-link';
import { customerColumn } from '../../resources/customer-link';
import {
  amountsText,
  type MigratedSubscription,
  type PriceMigration,
  progressText,
  reasonText,
} from './price-migration';
import { ListedSubscriptionLink, ProductLink } from '../../resources/product-links';

const refetchMs = 2_000;
// Changes of an ended job still take effect, or are canceled.
const endedRefetchMs = 10_000;

const results = [
  ['SCHEDULED', 'Scheduled'],
  ['APPLIED', 'Applied'],
  ['CANCELED', 'Canceled'],
  ['SKIPPED', 'Skipped'],
] as const;

/** Page of one price migration: progress and rows. */
export function PriceMigrationPage({ id = '' }: { readonly id?: string }) {
  const path = `/v1/price-migrations/${id}`;
  const first = useResource<PriceMigration>(path);
  const isRunning = first.data?.status === 'RUNNING';
  const answer = useResource<PriceMigration>(path, {
    refetchMs: isRunning ? refetchMs : endedRefetchMs,
  });
  return (
    <Answer of={answer} what="price migration">
      {(migration) => <MigrationView migration={migration} />}
    </Answer>
  );
}

function MigrationView({ migration }: { migration: PriceMigration }) {
  const { id, status, dryRun, scheduled, skipped, processed, total } = migration;
  return (
    <PageLayout
      title={dryRun ? 'Dry run of a price migration' : 'Price migration'}
      lead={<StatusBadge status={status} />}
      back={{ href: '/price-migrations', label: 'Price migrations' }}
      actions={<CancelMigration migration={migration} />}
    >
      <Panel title="Progress">
        <Figures>
          <Figure name="Processed" value={progressText(migration)} />
          <Figure name={dryRun ? 'Would move' : 'Scheduled'} value={countText(scheduled)} />
          <Figure name="Skipped" value={countText(skipped)} />
          <Figure name="Amount a month" value={amountsText(migration, migration.currency)} />
        </Figures>
        {status === 'RUNNING' && (
          <Progress label={progressText(migration)} done={processed} total={Math.max(total, 1)} />
        )}
      </Panel>
      <Panel title="Details" actions={<AuditLink id={id} />}>
        <Facts
          facts={[
            ['Old product', <ProductLink key="from" id={migration.fromProductId} />],
            ['Old price', <ShortId key="old" id={migration.fromPriceId} what="old price" />],
            ['New product', <ProductLink key="to" id={migration.toProductId} />],
            ['New price', <ShortId key="new" id={migration.toPriceId} what="new price" />],
            ...(isTime(migration.at)
              ? [['Not before', <ClockTime key="at" at={migration.at} />] as const]
              : []),
            ['Started', <Instant key="started" at={migration.createdAt} />],
            ['Ended', <Instant key="ended" at={migration.completedAt} />],
            ['ID', <ShortId key="id" id={id} what="ID" />],
          ]}
        />
      </Panel>
      <Rows migration={migration} />
      <MetadataPanel metadata={migration.metadata} />
    </PageLayout>
  );
}

/** In UTC if the time of the migration was typed, which is typed in UTC. */
const effectColumn = (at: string): Column<MigratedSubscription> => {
  const column = dayColumn<MigratedSubscription>('Takes effect', ({ effectiveAt }) => effectiveAt);
  if (!isTime(at)) return column;
  const cell = ({ effectiveAt }: MigratedSubscription) =>
    effectiveAt === null ? '–' : <ClockTime at={effectiveAt} />;
  return { ...column, cell };
};

const columnsOf = ({
  at,
  currency,
}: Pick<PriceMigration, 'at' | 'currency'>): readonly Column<MigratedSubscription>[] => [
  {
    title: 'Subscription',
    text: ({ subscriptionId }) => subscriptionId,
    cell: ({ subscriptionId }) => <ListedSubscriptionLink id={subscriptionId} />,
  },
  customerColumn,
  {
    title: 'Result',
    text: ({ result }) => result,
    cell: ({ result }) => <StatusBadge status={result} />,
  },
  { title: 'Reason', text: reasonText },
  effectColumn(at),
  { title: 'Amount a month', align: 'end', text: (row) => amountsText(row, currency) },
];

function Rows({ migration }: { migration: PriceMigration }) {
  const { id, status } = migration;
  const filters = useFilters(['result']);
  return (
    <Panel title="Subscriptions">
      <Filters state={filters}>
        <ChoiceFilter label="Result" choices={results} {...filters.field('result')} />
      </Filters>
      <ResourceTable<MigratedSubscription>
        caption="Subscriptions of the price migration"
        path={`/v1/price-migrations/${id}/subscriptions`}
        hasOrder
        query={filters.values}
        refetchMs={status === 'RUNNING' ? refetchMs : endedRefetchMs}
        columns={columnsOf(migration)}
        rowKey={({ subscriptionId }) => subscriptionId}
        empty={<EmptyState title="No subscriptions" />}
      />
    </Panel>
  );
}

function CancelMigration({ migration: { id, status, dryRun } }: { migration: PriceMigration }) {
  const refusal = useRefusal('price-migrations');
  const cancel = useAction(
    () => ({ method: 'POST', path: `/v1/price-migrations/${id}/cancel` }),
    'Price migration canceled',
  );
  if (status === 'CANCELED' || (dryRun && status === 'COMPLETE')) return null;
  return (
    <ConfirmButton
      label={dryRun ? 'Cancel dry run' : 'Cancel migration'}
      title={dryRun ? 'Cancel this dry run?' : 'Cancel this price migration?'}
      dismiss="Keep"
      refusal={refusal}
      onConfirm={() => cancel.mutateAsync({})}
    >
      {dryRun
        ? 'The dry run stops. No subscription has changed.'
        : 'Pending changes are canceled. Subscriptions with the new price keep it.'}
    </ConfirmButton>
  );
}
