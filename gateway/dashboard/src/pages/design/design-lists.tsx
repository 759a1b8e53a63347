import { useState } from 'react';
import { EmptyState } from '../../parts/element/layout';
import { NamedLink } from '../../parts/element/named-link';
import { StatusBadge } from '../../parts/element/values';
import {
  ChoiceFilter,
  DaysFilter,
  Filters,
  TextFilter,
  TimeFilter,
} from '../../parts/form/filters';
import { PickerButton, PickerFilter, usePickerSearch } from '../../parts/form/picker';
import { ActiveFilter } from '../../parts/resource/active';
import type { BulkActions } from '../../parts/table/bulk-actions';
import { countColumn, dayColumn, instantColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { type Choice, matchingChoices } from '../../parts/text/choice';
import { DesignWorkspace } from './design-workspace';

const products: readonly Choice[] = [
  { id: '1', label: 'Starter', detail: '$19.00 monthly' },
  { id: '2', label: 'Team', detail: 'From $12.00 per unit monthly' },
];

/** Filters of lists: set, empty, and with a choice that is searched. */
export function FilterParts() {
  const [text, setText] = useState('ada@example.com');
  const [status, setStatus] = useState('PAST_DUE');
  const [active, setActive] = useState('');
  const [days, setDays] = useState('30');
  const [since, setSince] = useState('2026-02-25T09:00:00.000Z');
  return (
    <Filters state={{ isFiltered: true, clear: () => undefined }}>
      <TextFilter label="Email" value={text} onChange={setText} />
      <ChoiceFilter
        label="Subscription"
        value={status}
        onChange={setStatus}
        choices={[
          ['ACTIVE', 'Active'],
          ['PAST_DUE', 'Past due'],
        ]}
      />
      <ActiveFilter value={active} onChange={setActive} />
      <DaysFilter value={days} onChange={setDays} days={[7, 30]} />
      <TimeFilter label="From" value={since} onChange={setSince} />
      <ProductPickers />
    </Filters>
  );
}

function ProductPickers() {
  const [chosen, choose] = useState('2');
  const { searched } = usePickerSearch();
  const picker = { what: 'products', choices: matchingChoices(products, searched.search) };
  return (
    <>
      <PickerFilter
        label="Product"
        selected={products.find(({ id }) => id === chosen)}
        onChange={choose}
        {...picker}
        {...searched}
      />
      <PickerButton
        label="Add another product"
        onChoose={({ id }) => {
          choose(id);
        }}
        {...picker}
        {...searched}
      />
    </>
  );
}

interface Row {
  readonly id: string;
  readonly customer: string | undefined;
  readonly status: string;
  readonly total: number;
  readonly lines: number;
  readonly at: string;
}

const rows: readonly Row[] = ['OPEN', 'PAID', 'UNCOLLECTIBLE'].map((status, index) => ({
  id: `INV-00000${String(index + 1)}`,
  // The name of the last customer is loading.
  customer: ['Ada Lovelace', 'Acme', undefined][index],
  status,
  total: 2_900 * 10 ** index,
  lines: index + 1,
  at: `2026-02-2${String(index + 1)}T09:00:00.000Z`,
}));

const columns: readonly Column<Row>[] = [
  { title: 'Invoice', text: ({ id }) => id },
  {
    title: 'Customer',
    text: ({ customer }) => customer ?? '',
    cell: ({ id, customer }) => <NamedLink href="/" id={id} name={customer} error={null} />,
  },
  {
    title: 'Status',
    text: ({ status }) => status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  moneyColumn(
    'Total',
    ({ total }) => total,
    () => 'USD',
  ),
  countColumn('Lines', ({ lines }) => lines),
  dayColumn('Due', ({ at }) => at),
  instantColumn('Created', ({ at }) => at),
];

const bulk: BulkActions<Row> = {
  nameOf: ({ id }) => id,
  noun: 'invoice',
  actions: [
    {
      label: 'Charge',
      refusalOf: ({ status }) => (status === 'PAID' ? 'Paid already' : undefined),
      request: ({ id }) => ({ method: 'POST', path: `/v1/invoices/${id}/pay`, body: {} }),
      outcomeOf: () => ({ isDone: true, text: 'Paid.' }),
      consequence: 'Charges each card once.',
    },
    {
      label: 'Void',
      tone: 'danger',
      refusal: 'Viewers have read-only access.',
      request: ({ id }) => ({ method: 'POST', path: `/v1/invoices/${id}/void`, body: {} }),
      outcomeOf: () => ({ isDone: true, text: 'Void.' }),
      consequence: 'The customers no longer owe these invoices.',
    },
  ],
};

const page = { data: rows, total: 60, page: 1, perPage: 25 };
const empty = { ...page, data: [], total: 0, searchedSince: '2026-02-01T00:00:00.000Z' };

/** Lists of the API: several pages with selectable rows, and an empty one. */
export function ListParts() {
  const first = { page: 1, perPage: 25 };
  return (
    <DesignWorkspace
      responses={[
        ['/v1/invoices', first, page],
        ['/v1/credit-notes', first, empty],
      ]}
    >
      <ResourceTable<Row>
        caption="Invoices"
        path="/v1/invoices"
        hasOrder
        columns={columns}
        rowKey={({ id }) => id}
        empty={null}
        bulk={bulk}
      />
      <ResourceTable<Row>
        caption="Credit notes"
        path="/v1/credit-notes"
        list="notes"
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No credit notes">Issue one on a paid invoice.</EmptyState>}
      />
    </DesignWorkspace>
  );
}
