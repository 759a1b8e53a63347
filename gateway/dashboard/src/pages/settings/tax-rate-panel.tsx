import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { EmptyState, Panel } from '../../parts/element/layout';
import { ChoiceFilter, Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { Day } from '../../parts/element/values';
import { Form, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import type { TaxRate } from '../../resources/seller';
import { originText, publicationOf, typedTaxRate } from './tax-values';

const sources = [
  ['OWN', 'Your own'],
  ['SHIPPED', 'Shipped'],
] as const;

const columns: readonly Column<TaxRate>[] = [
  {
    title: 'Place',
    text: ({ country, state }) => (state === null ? country : `${country}, ${state}`),
  },
  { title: 'Category', text: ({ category }) => category },
  { title: 'Percent', align: 'end', text: ({ percent }) => percent },
  { title: 'Name', text: ({ name }) => name },
  {
    title: 'From',
    text: ({ validFrom }) => validFrom ?? '',
    cell: ({ validFrom }) => <Day at={validFrom} />,
  },
  {
    title: 'Before',
    text: ({ validTo }) => validTo ?? '',
    cell: ({ validTo }) => <Day at={validTo} />,
  },
  {
    title: 'Origin',
    text: originText,
    cell: (rate) => (
      <>
        {originText(rate)}
        <div className="faint">{publicationOf(rate)}</div>
      </>
    ),
  },
  {
    title: 'Actions',
    text: () => '',
    cell: (rate) => (rate.source === 'OWN' ? <EditButton rate={rate} /> : null),
  },
];

/** Rates of the seller, then those that come with the system. */
export function TaxRatePanel() {
  const refusal = useRefusal('tax-rates');
  const filters = useFilters(['country', 'source']);
  return (
    <Panel
      title="Tax rates"
      actions={
        <DialogButton label="New tax rate" tone="quiet" refusal={refusal}>
          {(close) => <NewRateForm onDone={close} />}
        </DialogButton>
      }
    >
      <p className="faint">
        Your own rates come before the shipped ones. Compare a shipped rate that is not checked with
        its official source.
      </p>
      <Filters state={filters}>
        <TextFilter label="Country" {...filters.field('country')} />
        <ChoiceFilter label="Origin" choices={sources} {...filters.field('source')} />
      </Filters>
      <ResourceTable<TaxRate>
        caption="Tax rates"
        path="/v1/tax-rates"
        hasOrder
        query={filters.values}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No tax rates found">Try other filters.</EmptyState>}
      />
    </Panel>
  );
}

function NewRateForm({ onDone }: { onDone: () => void }) {
  const create = useAction<object, TaxRate>(
    (body) => ({ method: 'POST', path: '/v1/tax-rates', body }),
    () => ({ text: 'Tax rate created', href: '/settings/tax' }),
  );
  return (
    <Form
      submit="Create tax rate"
      onCancel={onDone}
      onSubmit={async (values) => {
        await create.mutateAsync(typedTaxRate(values));
        onDone();
      }}
    >
      <TextField name="country" label="Country" maxLength={2} hint="Two-letter code, such as DE." />
      <TextField name="state" label="State" maxLength={50} hint="Optional." />
      <TextField
        name="category"
        label="Tax category"
        hint="Optional, as on products. Default: standard."
      />
      <TextField name="percent" label="Percent" inputMode="decimal" hint="Such as 7 or 25.5." />
      <TextField name="name" label="Name" maxLength={40} defaultValue="VAT" />
      <TextField name="validFrom" label="First day (UTC)" type="date" hint="Optional." />
      <TextField name="validTo" label="Day after the last one (UTC)" type="date" hint="Optional." />
    </Form>
  );
}

function EditButton({ rate }: { rate: TaxRate }) {
  const refusal = useRefusal('tax-rates');
  const { id, name, validTo, country, percent } = rate;
  const save = useAction<object, TaxRate>(
    (body) => ({ method: 'PATCH', path: `/v1/tax-rates/${id}`, body }),
    'Tax rate saved',
  );
  return (
    <DialogButton
      label="Edit"
      title={`Edit ${percent}% in ${country}`}
      tone="quiet"
      refusal={refusal}
    >
      {(close) => (
        <Form
          submit="Save"
          onCancel={close}
          onSubmit={async (values) => {
            const validToTyped = values.optional('validTo') ?? null;
            await save.mutateAsync({ name: values.text('name').trim(), validTo: validToTyped });
            close();
          }}
        >
          <TextField name="name" label="Name" maxLength={40} defaultValue={name} />
          <TextField
            name="validTo"
            label="Day after the last one (UTC)"
            type="date"
            defaultValue={validTo ?? ''}
            hint="Optional."
          />
        </Form>
      )}
    </DialogButton>
  );
}
