import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { typedAmount, typedCount } from '../../parts/amount';
import { activeColumn, ActiveFilter } from '../../parts/active';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { Form, SelectField, TextField } from '../../parts/form';
import type { FormValues } from '../../parts/form-values';
import { Filters, useFilters } from '../../parts/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { dayText } from '../../parts/text';
import { Day } from '../../parts/values';
import { type Discount, redemptionsText, termsText } from './discount-text';

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
  { title: 'Takes', text: termsText },
  { title: 'Redeemed', align: 'end', text: redemptionsText },
  activeColumn,
  {
    title: 'Ends',
    text: ({ endsAt }) => (endsAt === null ? '' : dayText(endsAt)),
    cell: ({ endsAt }) => <Day at={endsAt} />,
  },
];

/** Every discount, and a new one. */
export function DiscountListPage() {
  const refusal = useRefusal('discounts');
  const filters = useFilters(['active']);
  const { active } = filters.values;
  return (
    <PageLayout
      title="Discounts"
      lead="What is taken off invoices, by code or by id."
      actions={
        <DialogButton label="New discount" refusal={refusal}>
          {(close) => <DiscountForm onDone={close} />}
        </DialogButton>
      }
    >
      <Panel>
        <Filters state={filters}>
          <ActiveFilter
            value={active}
            onChange={(value) => {
              filters.set('active', value);
            }}
          />
        </Filters>
        <ResourceTable<Discount>
          caption="Discounts"
          path="/v1/discounts"
          query={{ active }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No discounts here">
              Make one with <em>New discount</em>; give its code to payers, or its id to a checkout
              link.
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}

function DiscountForm({ onDone }: { onDone: () => void }) {
  const [type, setType] = useState('PERCENTAGE');
  const [duration, setDuration] = useState('ONCE');
  const create = useAction((body: object) => ({ method: 'POST', path: '/v1/discounts', body }));
  return (
    <Form
      submit="Create discount"
      onCancel={onDone}
      onSubmit={async (values) => {
        await create.mutateAsync(newDiscount(values));
        onDone();
      }}
    >
      <TextField name="name" label="Name" hint="Payers see it on their invoice." />
      <TextField name="code" label="Code" hint="What payers type. Without one: by id alone." />
      <SelectField
        name="type"
        label="Kind"
        value={type}
        onChange={setType}
        choices={[
          ['PERCENTAGE', 'Percentage'],
          ['FIXED', 'Fixed amount'],
        ]}
      />
      {type === 'FIXED' && (
        <TextField name="currency" label="Currency" defaultValue="USD" maxLength={3} />
      )}
      <TextField
        name="value"
        label={type === 'FIXED' ? 'Amount' : 'Percent'}
        inputMode="decimal"
        hint={type === 'FIXED' ? 'Such as 10.00' : 'Such as 12.5'}
      />
      <SelectField
        name="duration"
        label="How long"
        value={duration}
        onChange={setDuration}
        choices={[
          ['ONCE', 'The first invoice'],
          ['REPEATING', 'For some months'],
          ['FOREVER', 'Every invoice'],
        ]}
      />
      {duration === 'REPEATING' && (
        <TextField name="durationInMonths" label="Months" inputMode="numeric" />
      )}
      <TextField
        name="maxRedemptions"
        label="At most so many redemptions"
        inputMode="numeric"
        hint="Empty: no limit."
      />
    </Form>
  );
}

function newDiscount(values: FormValues) {
  const isFixed = values.text('type') === 'FIXED';
  const currency = values.text('currency').trim().toUpperCase();
  const value = values.text('value');
  const percent = Number(value);
  return {
    name: values.text('name'),
    code: values.optional('code'),
    type: values.text('type'),
    value: isFixed ? typedAmount(value, currency) : value !== '' && percent >= 0 ? percent : value,
    currency: isFixed ? currency : undefined,
    duration: values.text('duration'),
    durationInMonths: typedCount(values.optional('durationInMonths')),
    maxRedemptions: typedCount(values.optional('maxRedemptions')),
  };
}
