import { Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import type { CreditNote } from '../../resources/credit/credit-note';
import { allCreditNoteColumns } from '../../resources/credit/credit-note-table';
import { CustomerFilter } from '../../resources/pickers';

/** List of credit notes. */
export function CreditNoteListPage() {
  const filters = useFilters(['customerId']);
  return (
    <PageLayout title="Credit notes">
      <Panel>
        <Filters state={filters}>
          <CustomerFilter {...filters.field('customerId')} />
        </Filters>
        <ResourceTable<CreditNote>
          caption="Credit notes"
          path="/v1/credit-notes"
          hasOrder
          query={filters.values}
          columns={allCreditNoteColumns}
          rowKey={({ id }) => id}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No credit notes found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No credit notes yet">
                Issue one with <em>Credit note</em> on the page of an invoice.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
