import { useState } from 'react';
import { useAction, useResource } from '../../api/queries';
import type { Page } from '../../api/resources';
import { typedAmount, typedCount } from '../../parts/amount';
import { ChoicesField, Form, SelectField, TextField } from '../../parts/form';
import type { FormValues } from '../../parts/form-values';
import { Answer } from '../../parts/notices';
import { fromTimeField } from '../../parts/time-field';
import type { Product } from '../products/price-text';

const offered = { active: true, perPage: 100 };

/** Asks for all that makes a discount. */
export function NewDiscountForm({ onDone }: { onDone: () => void }) {
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
      <TermsFields />
      <LimitsFields />
    </Form>
  );
}

/** How much, and how long. */
function TermsFields() {
  const [type, setType] = useState('PERCENTAGE');
  const [duration, setDuration] = useState('ONCE');
  return (
    <>
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
    </>
  );
}

/** Who can redeem it: how many, when, and for what. */
function LimitsFields() {
  const products = useResource<Page<Product>>('/v1/products', { query: offered });
  return (
    <>
      <TextField
        name="maxRedemptions"
        label="At most so many redemptions"
        inputMode="numeric"
        hint="Empty: no limit."
      />
      <TextField
        name="startsAt"
        label="Redeemed from"
        type="datetime-local"
        hint="In UTC. Empty: at once."
      />
      <TextField
        name="endsAt"
        label="Redeemed until"
        type="datetime-local"
        hint="In UTC. Empty: without an end."
      />
      <Answer of={products} what="products">
        {({ data }) =>
          data.length > 0 && (
            <ChoicesField
              name="productIds"
              label="Products"
              hint="None marked: all of them."
              choices={data.map(({ id }) => id)}
              labelOf={(chosen) => data.find(({ id }) => id === chosen)?.name ?? chosen}
            />
          )
        }
      </Answer>
    </>
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
    startsAt: fromTimeField(values.optional('startsAt')),
    endsAt: fromTimeField(values.optional('endsAt')),
    productIds: values.all('productIds'),
  };
}
