import { ChoiceFilter, Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import type { Dispute } from '../../resources/credit/credit-note';
import { allDisputeColumns } from '../../resources/credit/dispute-table';
import { CustomerFilter } from '../../resources/pickers';

const statuses = [
  ['OPEN', 'Open'],
  ['WON', 'Won'],
  ['LOST', 'Lost'],
] as const;

/** List of disputes. */
export function DisputeListPage() {
  const filters = useFilters(['status', 'customerId']);
  return (
    <PageLayout title="Disputes" lead="Evidence is given at the payment provider.">
      <Panel>
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
          <CustomerFilter {...filters.field('customerId')} />
        </Filters>
        <ResourceTable<Dispute>
          caption="Disputes"
          path="/v1/disputes"
          hasOrder
          query={filters.values}
          columns={allDisputeColumns}
          rowKey={({ id }) => id}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No disputes found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No disputes">
                Payments that customers dispute at their bank appear here.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
