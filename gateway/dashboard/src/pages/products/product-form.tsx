import { useState } from 'react';
import { useAction } from '../../api/queries';
import { typedAmount, typedCount } from '../../parts/amount';
import { Form, SelectField, TextField } from '../../parts/form';
import type { FormValues } from '../../parts/form-values';
import { PricingFields } from './pricing-fields';
import { typedTiers } from './typed-tiers';

const untiered = [
  ['FLAT', 'One price, whatever the quantity'],
  ['PER_UNIT', 'For each unit'],
] as const;

/** Asks for all that makes a product. */
export function NewProductForm({ onDone }: { onDone: () => void }) {
  const create = useAction((body: object) => ({ method: 'POST', path: '/v1/products', body }));
  return (
    <Form
      submit="Create product"
      onCancel={onDone}
      onSubmit={async (values) => {
        await create.mutateAsync(newProduct(values));
        onDone();
      }}
    >
      <TextField name="name" label="Name" />
      <TextField name="description" label="Description" />
      <TextField name="currency" label="Currency" defaultValue="USD" maxLength={3} />
      <PricingFields untiered={untiered} exampleTiers={'10, 500\n-, 400'}>
        {() => <TextField name="amount" label="Amount" inputMode="decimal" hint="Such as 29.00" />}
      </PricingFields>
      <BillingFields />
      <TextField
        name="lookupKey"
        label="Lookup key"
        hint="A name by which your program finds it, such as “pro-monthly”. Empty: none."
      />
    </Form>
  );
}

/** When it is billed. */
function BillingFields() {
  const [interval, setInterval] = useState('MONTHLY');
  return (
    <>
      <SelectField
        name="billingInterval"
        label="Billed"
        value={interval}
        onChange={setInterval}
        choices={[
          ['MONTHLY', 'Every month'],
          ['QUARTERLY', 'Every quarter'],
          ['YEARLY', 'Every year'],
          ['WEEKLY', 'Every week'],
          ['DAILY', 'Every day'],
          ['ONE_TIME', 'Once'],
        ]}
      />
      {interval !== 'ONE_TIME' && (
        <>
          <TextField
            name="intervalCount"
            label="Every so many of these"
            inputMode="numeric"
            hint="2 of “Every month”: every other month. Empty: 1."
          />
          <TextField
            name="trialDays"
            label="Days of trial"
            inputMode="numeric"
            hint="Empty: none."
          />
        </>
      )}
    </>
  );
}

function newProduct(values: FormValues) {
  const currency = values.text('currency').trim().toUpperCase();
  const hasTiers = values.has('tiers');
  return {
    name: values.text('name'),
    description: values.optional('description'),
    type: values.text('type'),
    currency,
    amount: hasTiers ? 0 : typedAmount(values.text('amount'), currency),
    billingInterval: values.text('billingInterval'),
    intervalCount: typedCount(values.optional('intervalCount')),
    trialDays: typedCount(values.optional('trialDays')),
    lookupKey: values.optional('lookupKey'),
    tiers: hasTiers ? typedTiers(values.text('tiers')) : undefined,
  };
}
