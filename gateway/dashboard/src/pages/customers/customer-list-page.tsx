import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { dayColumn } from '../../parts/columns';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { Filters, TextFilter, useFilters } from '../../parts/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { type Customer, customerName } from './customer';
import { CustomerForm } from './customer-form';

const columns: readonly Column<Customer>[] = [
  {
    title: 'Customer',
    text: customerName,
    cell: (customer) => <Link href={`/customers/${customer.id}`}>{customerName(customer)}</Link>,
  },
  { title: 'E-mail', text: ({ email }) => email },
  { title: 'External id', text: ({ externalId }) => externalId ?? '' },
  { title: 'Currency', text: ({ currency }) => currency },
  dayColumn('Since', ({ createdAt }) => createdAt),
];

/** Every customer, and a new one. */
export function CustomerListPage() {
  const refusal = useRefusal('customers');
  const [, navigate] = useLocation();
  const filters = useFilters(['email', 'externalId']);
  const { values } = filters;
  return (
    <PageLayout
      title="Customers"
      lead="Who buys. Days are of UTC, by this environment’s clock."
      actions={
        <DialogButton label="New customer" refusal={refusal}>
          {(close) => (
            <CustomerForm
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
          <TextFilter label="Exact e-mail" {...filters.field('email')} />
          <TextFilter label="External id" {...filters.field('externalId')} />
        </Filters>
        <ResourceTable<Customer>
          caption="Customers"
          path="/v1/customers"
          query={values}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No such customer">
                E-mail and id are compared whole. Look for another one.
              </EmptyState>
            ) : (
              <EmptyState title="No customers yet">
                Make the first one with <em>New customer</em>, or by <code>POST /v1/customers</code>
                .
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}
