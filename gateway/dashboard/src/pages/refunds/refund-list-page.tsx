import type { Page } from '../../api/client';
import { useResource } from '../../api/queries';
import { ChoiceFilter, Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import type { Refund } from '../../resources/credit/credit-note';
import { CustomerFilter } from '../../resources/pickers';
import { allRefundColumns } from '../../resources/credit/refund-table';

const statuses = [
  ['PENDING', 'Pending'],
  ['SUCCEEDED', 'Succeeded'],
  ['FAILED', 'Failed'],
  ['REPLACED', 'Replaced'],
] as const;

/** List of refunds; failed ones, which need a decision, come first. */
export function RefundListPage() {
  const filters = useFilters(['status', 'customerId']);
  return (
    <PageLayout title="Refunds">
      <FailedRefunds />
      <Panel title="All refunds">
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
          <CustomerFilter {...filters.field('customerId')} />
        </Filters>
        <ResourceTable<Refund>
          caption="Refunds"
          path="/v1/refunds"
          hasOrder
          query={filters.values}
          columns={allRefundColumns}
          rowKey={({ id }) => id}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No refunds found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No refunds yet">
                A credit note of an invoice that was paid by card can be refunded.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}

/** Refunds that wait for a decision; hidden if there are none. */
function FailedRefunds() {
  const query = { status: 'FAILED' };
  const { data } = useResource<Page<Refund>>('/v1/refunds', { query: { ...query, perPage: 1 } });
  if (data === undefined || data.total === 0) return null;
  return (
    <Panel title="Failed refunds">
      <ResourceTable<Refund>
        caption="Failed refunds"
        path="/v1/refunds"
        hasOrder
        list="failed"
        query={query}
        columns={allRefundColumns}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No failed refunds" />}
      />
    </Panel>
  );
}
