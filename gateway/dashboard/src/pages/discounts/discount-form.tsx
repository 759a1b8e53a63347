import { useState } from 'react';
import { useAction } from '../../api/queries';
import { typedAmount, typedCount } from '../../parts/text/amount';
import { typedDecimal } from '../../parts/text/decimal';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import type { FormValues } from '../../parts/form/form-values';
import { Answer } from '../../parts/element/notices';
import { MetadataField } from '../../parts/resource/metadata';
import { typedMetadata } from '../../parts/text/metadata-text';
import { typedTime } from '../../parts/text/local-time-field';
import type { Discount } from '../../resources/discount';
import { ProductsField, useSoldProducts } from '../../resources/pickers';

/** Form for a new discount. */
export function NewDiscountForm({ onDone }: { onDone: () => void }) {
  const create = useAction<object, Discount>(
    (body) => ({ method: 'POST', path: '/v1/discounts', body }),
    ({ id }) => ({ text: 'Discount created', href: `/discounts/${id}` }),
  );
  return (
    <Form
      submit="Create discount"
      onCancel={onDone}
      onSubmit={async (values) => {
        await create.mutateAsync(newDiscount(values));
        onDone();
      }}
    >
      <TextField name="name" label="Name" hint="Shown on invoices." />
      <TextField
        name="code"
        label="Code"
        hint="Optional. Customers redeem the discount with this code."
      />
      <TermsFields />
      <LimitsFields />
      <MetadataField rows={3} />
    </Form>
  );
}

/** Amount and duration. */
function TermsFields() {
  const [type, setType] = useState('PERCENTAGE');
  const [duration, setDuration] = useState('ONCE');
  return (
    <>
      <SelectField
        name="type"
        label="Type"
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
        label="Duration"
        value={duration}
        onChange={setDuration}
        choices={[
          ['ONCE', 'Once'],
          ['REPEATING', 'Several months'],
          ['FOREVER', 'Forever'],
        ]}
      />
      {duration === 'REPEATING' && (
        <TextField name="durationInMonths" label="Number of months" inputMode="numeric" />
      )}
    </>
  );
}

/** Limits of redemption: number, time and products. */
function LimitsFields() {
  const products = useSoldProducts();
  return (
    <>
      <TextField
        name="maxRedemptions"
        label="Redemption limit"
        inputMode="numeric"
        hint="Optional."
      />
      <TimeField name="startsAt" label="Valid from" hint="Optional." />
      <TimeField name="endsAt" label="Valid until" hint="Optional." />
      <Answer of={products} what="products">
        {({ data, total }) =>
          total > 0 && (
            <ProductsField newest={data} total={total} hint="Leave empty for all products." />
          )
        }
      </Answer>
    </>
  );
}

function newDiscount(values: FormValues) {
  const isFixed = values.text('type') === 'FIXED';
  const currency = values.text('currency').trim().toUpperCase();
  const value = typedDecimal(values.text('value'));
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
    startsAt: typedTime(values.optional('startsAt')),
    endsAt: typedTime(values.optional('endsAt')),
    productIds: values.all('productIds'),
    metadata: typedMetadata(values.text('metadata')),
  };
}
