import { useState } from 'react';
import { useAction } from '../../api/queries';
import { typedAmount, typedCount } from '../../parts/amount';
import { Form, SelectField, TextAreaField, TextField } from '../../parts/form';
import type { FormValues } from '../../parts/form-values';
import { typedTiers } from './typed-tiers';

export const tiersHint =
  'One a line: up to, rate of each unit, flat amount if any; the last line begins with “-”. Rates and amounts in the smallest unit: 0.5 of USD is half a cent.';

/** Asks for all that makes a product. */
export function NewProductForm({ onDone }: { onDone: () => void }) {
  const [type, setType] = useState('FLAT');
  const [interval, setInterval] = useState('MONTHLY');
  const create = useAction((body: object) => ({ method: 'POST', path: '/v1/products', body }));
  const hasTiers = type === 'TIERED' || type === 'VOLUME';
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
      <SelectField
        name="type"
        label="How it is priced"
        value={type}
        onChange={setType}
        choices={[
          ['FLAT', 'One price, whatever the quantity'],
          ['PER_UNIT', 'For each unit'],
          ['TIERED', 'In tiers, each unit by its own'],
          ['VOLUME', 'In tiers, all units by the one reached'],
        ]}
      />
      <TextField name="currency" label="Currency" defaultValue="USD" maxLength={3} />
      {hasTiers ? (
        <TextAreaField
          name="tiers"
          label="Tiers"
          hint={tiersHint}
          defaultValue={'10, 500\n-, 400'}
        />
      ) : (
        <TextField name="amount" label="Amount" inputMode="decimal" hint="Such as 29.00" />
      )}
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
        <TextField name="trialDays" label="Days of trial" inputMode="numeric" hint="Empty: none." />
      )}
    </Form>
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
    trialDays: typedCount(values.optional('trialDays')),
    tiers: hasTiers ? typedTiers(values.text('tiers')) : undefined,
  };
}
