import { Link } from 'wouter';
import { ChoiceFilter, Filters, TextFilter, useFilters } from '../../parts/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { InvoiceTable } from './invoice-table';

const statuses = [
  ['OPEN', 'Open'],
  ['PAID', 'Paid'],
  ['UNCOLLECTIBLE', 'Uncollectible'],
  ['VOID', 'Void'],
  ['DRAFT', 'Draft'],
] as const;

/** Every invoice. */
export function InvoiceListPage() {
  const filters = useFilters(['status', 'customerId', 'subscriptionId']);
  const { values } = filters;
  return (
    <PageLayout
      title="Invoices"
      lead="What customers owe and have paid. Days are of UTC, by this environment’s clock."
    >
      <Panel>
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
          <TextFilter label="Customer id" {...filters.field('customerId')} />
          <TextFilter label="Subscription id" {...filters.field('subscriptionId')} />
        </Filters>
        <InvoiceTable
          query={values}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No such invoices">Choose another filter.</EmptyState>
            ) : (
              <EmptyState title="No invoices yet">
                The first one comes with the first checkout or{' '}
                <Link href="/subscriptions">subscription</Link>.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
