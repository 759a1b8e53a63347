import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { SelectField } from '../../parts/form';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { dayText } from '../../parts/text';
import { Day, StatusBadge } from '../../parts/values';
import { priceText, type Product } from './price-text';
import { NewProductForm } from './product-form';

const columns: readonly Column<Product>[] = [
  {
    title: 'Name',
    text: ({ name }) => name,
    cell: ({ id, name }) => <Link href={`/products/${id}`}>{name}</Link>,
  },
  { title: 'Price', text: priceText },
  { title: 'Metered', align: 'end', text: ({ meterPrices }) => String(meterPrices.length) },
  {
    title: 'State',
    text: ({ active }) => (active ? 'active' : 'inactive'),
    cell: ({ active }) => <StatusBadge status={active ? 'ACTIVE' : 'INACTIVE'} />,
  },
  {
    title: 'Since',
    text: ({ createdAt }) => dayText(createdAt),
    cell: ({ createdAt }) => <Day at={createdAt} />,
  },
];

/** Every product with its price, and a new one. */
export function ProductListPage() {
  const refusal = useRefusal('products');
  const [active, setActive] = useState('');
  return (
    <PageLayout
      title="Products"
      lead="What is sold, and for how much."
      actions={
        <DialogButton label="New product" refusal={refusal}>
          {(close) => <NewProductForm onDone={close} />}
        </DialogButton>
      }
    >
      <Panel>
        <SelectField
          name="active"
          label="Show"
          value={active}
          onChange={setActive}
          choices={[
            ['', 'All'],
            ['true', 'Active'],
            ['false', 'Inactive'],
          ]}
        />
        <ResourceTable<Product>
          caption="Products"
          path="/v1/products"
          query={{ active }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No products here">
              Make the first one with <em>New product</em>, then subscribe a customer to it or share
              a checkout link.
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}
