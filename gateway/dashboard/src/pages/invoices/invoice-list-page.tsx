import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { ChoiceFilter, Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { DialogButton } from '../../parts/overlay/dialog';
import { CustomerFilter } from '../../resources/pickers';
import { InvoiceTable } from '../../resources/invoice/invoice-table';
import { NewInvoiceForm } from './invoice-form';
import { SubscriptionFilter } from './subscription-filter';

const statuses = [
  ['OPEN', 'Open'],
  ['PAID', 'Paid'],
  ['UNCOLLECTIBLE', 'Uncollectible'],
  ['VOID', 'Void'],
  ['DRAFT', 'Draft'],
] as const;

/** List of invoices. */
export function InvoiceListPage() {
  const filters = useFilters(['status', 'customerId', 'subscriptionId']);
  const { values } = filters;
  const refusal = useRefusal('invoices');
  const [, navigate] = useLocation();
  return (
    <PageLayout
      title="Invoices"
      actions={
        <DialogButton label="New invoice" refusal={refusal}>
          {(close) => (
            <NewInvoiceForm
              onCancel={close}
              onCreated={({ id }) => {
                navigate(`/invoices/${id}`);
              }}
            />
          )}
        </DialogButton>
      }
    >
      <Panel>
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
          <CustomerFilter {...filters.field('customerId')} />
          <SubscriptionFilter {...filters.field('subscriptionId')} customerId={values.customerId} />
        </Filters>
        <InvoiceTable
          query={values}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No invoices found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No invoices yet">
                Invoices appear with the first checkout or{' '}
                <Link href="/subscriptions">subscription</Link>.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
