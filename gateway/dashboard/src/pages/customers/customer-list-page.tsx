import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { dayColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { type Customer, customerName } from '../../resources/customer';
import { CustomerSearch } from '../../resources/pickers';
import { CustomerDialog } from './customer-dialog';

const columns: readonly Column<Customer>[] = [
  {
    title: 'Customer',
    text: customerName,
    cell: (customer) => <Link href={`/customers/${customer.id}`}>{customerName(customer)}</Link>,
  },
  { title: 'Email', text: ({ email }) => email },
  { title: 'External ID', text: ({ externalId }) => externalId ?? '' },
  { title: 'Currency', text: ({ currency }) => currency },
  dayColumn('Created', ({ createdAt }) => createdAt),
];

/** List of customers, with a form for a new one. */
export function CustomerListPage() {
  const refusal = useRefusal('customers');
  const [, navigate] = useLocation();
  const filters = useFilters(['email', 'externalId']);
  const { values } = filters;
  return (
    <PageLayout
      title="Customers"
      actions={
        <DialogButton label="New customer" refusal={refusal}>
          {(close) => (
            <CustomerDialog
              onCancel={close}
              onDone={({ id }) => {
                navigate(`/customers/${id}`);
              }}
            />
          )}
        </DialogButton>
      }
    >
      <Panel>
        <Filters state={filters}>
          <CustomerSearch
            onChoose={(id) => {
              navigate(`/customers/${id}`);
            }}
          />
          <TextFilter label="Email (exact)" {...filters.field('email')} />
          <TextFilter label="External ID (exact)" {...filters.field('externalId')} />
        </Filters>
        <ResourceTable<Customer>
          caption="Customers"
          path="/v1/customers"
          hasOrder
          query={values}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No customers found">
                These filters match whole values. Search by name finds parts of them.
              </EmptyState>
            ) : (
              <EmptyState title="No customers yet">
                Create one with <em>New customer</em> or <code>POST /v1/customers</code>.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
