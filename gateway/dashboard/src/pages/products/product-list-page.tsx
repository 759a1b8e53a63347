import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { activeColumn, ActiveFilter } from '../../parts/resource/active';
import { dayColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { priceText, type Product } from '../../resources/product';
import { NewProductForm } from './product-form';

const columns: readonly Column<Product>[] = [
  {
    title: 'Name',
    text: ({ name }) => name,
    cell: ({ id, name }) => <Link href={`/products/${id}`}>{name}</Link>,
  },
  { title: 'Price', text: priceText },
  { title: 'Usage prices', align: 'end', text: ({ meterPrices }) => String(meterPrices.length) },
  activeColumn,
  dayColumn('Created', ({ createdAt }) => createdAt),
];

/** List of products, with a form for a new one. */
export function ProductListPage() {
  const refusal = useRefusal('products');
  const filters = useFilters(['active']);
  const { active } = filters.values;
  return (
    <PageLayout
      title="Products"
      actions={
        <>
          <Link className="button quiet" href="/price-migrations">
            Price migrations
          </Link>
          <DialogButton label="New product" refusal={refusal}>
            {(close) => <NewProductForm onDone={close} />}
          </DialogButton>
        </>
      }
    >
      <Panel>
        <Filters state={filters}>
          <ActiveFilter {...filters.field('active')} />
        </Filters>
        <ResourceTable<Product>
          caption="Products"
          path="/v1/products"
          hasOrder
          query={{ active }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No products">
              Create one with <em>New product</em>, then start a subscription or share a checkout
              link.
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}
