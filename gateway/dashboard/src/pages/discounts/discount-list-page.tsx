import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { activeColumn, ActiveFilter } from '../../parts/resource/active';
import { dayColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Filters, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { CodeCheckForm } from './code-check-form';
import { NewDiscountForm } from './discount-form';
import { type Discount, redemptionsText, termsText } from '../../resources/discount';

const columns: readonly Column<Discount>[] = [
  {
    title: 'Name',
    text: ({ name }) => name,
    cell: ({ id, name }) => <Link href={`/discounts/${id}`}>{name}</Link>,
  },
  {
    title: 'Code',
    text: ({ code }) => code ?? '',
    cell: ({ code }) => (code === null ? '–' : <code>{code}</code>),
  },
  { title: 'Discount', text: termsText },
  { title: 'Redemptions', align: 'end', text: redemptionsText },
  activeColumn,
  dayColumn('Ends', ({ endsAt }) => endsAt),
];

/** List of discounts, with a form for a new one. */
export function DiscountListPage() {
  const refusal = useRefusal('discounts');
  const filters = useFilters(['active']);
  const { active } = filters.values;
  return (
    <PageLayout
      title="Discounts"
      lead="Coupons and promotion codes."
      actions={
        <>
          <DialogButton label="Check a code" tone="quiet">
            {(close) => <CodeCheckForm onDone={close} />}
          </DialogButton>
          <DialogButton label="New discount" refusal={refusal}>
            {(close) => <NewDiscountForm onDone={close} />}
          </DialogButton>
        </>
      }
    >
      <Panel>
        <Filters state={filters}>
          <ActiveFilter {...filters.field('active')} />
        </Filters>
        <ResourceTable<Discount>
          caption="Discounts"
          path="/v1/discounts"
          hasOrder
          query={{ active }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No discounts">
              Create one with <em>New discount</em>, then share its code or add it to a checkout
              link.
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}
