import { useState } from 'react';
import { useAction } from '../../api/queries';
import { typedAmount, typedCount } from '../../parts/text/amount';
import { MetadataField } from '../../parts/resource/metadata';
import { typedMetadata } from '../../parts/text/metadata-text';
import { Form, SelectField, TextField } from '../../parts/form/form';
import type { FormValues } from '../../parts/form/form-values';
import { PricingFields } from './pricing-fields';
import { PricePreview } from './price-preview-field';
import { productPreview } from './price-preview';
import { typedTiers } from './tier-values';
import type { Product } from '../../resources/product';
import { TaxCategoryField } from '../../resources/tax/tax-category';

const untiered = [
  ['FLAT', 'Flat fee'],
  ['PER_UNIT', 'Per unit'],
] as const;

const exampleTiers = [
  { upTo: '10', unitAmount: '5.00', flatAmount: '' },
  { upTo: '', unitAmount: '4.00', flatAmount: '' },
];

/** Form for a new product. */
export function NewProductForm({ onDone }: { onDone: () => void }) {
  const [currency, setCurrency] = useState('USD');
  const create = useAction<object, Product>(
    (body) => ({ method: 'POST', path: '/v1/products', body }),
    ({ id }) => ({ text: 'Product created', href: `/products/${id}` }),
  );
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
      <TextField name="description" label="Description" hint="Optional." />
      <TextField
        name="currency"
        label="Currency"
        value={currency}
        onChange={(event) => setCurrency(event.target.value.toUpperCase())}
        maxLength={3}
      />
      <PricingFields untiered={untiered} initialTiers={exampleTiers} currency={currency}>
        {() => <TextField name="amount" label="Amount" inputMode="decimal" hint="Such as 29.00" />}
      </PricingFields>
      <PricePreview
        textOf={(values, quantity) =>
          productPreview(typedPrice(values, currency), { quantity, currency })
        }
      />
      <BillingFields />
      <TaxCategoryField />
      <TextField
        name="lookupKey"
        label="Lookup key"
        hint="Optional. Stable key for your code, such as “pro-monthly”."
      />
      <MetadataField rows={3} />
    </Form>
  );
}

/** Billing period and free trial. */
function BillingFields() {
  const [interval, setInterval] = useState('MONTHLY');
  return (
    <>
      {interval !== 'ONE_TIME' && (
        <TextField
          name="intervalCount"
          label="Bill every"
          inputMode="numeric"
          autoComplete="off"
          defaultValue="1"
        />
      )}
      <SelectField
        name="billingInterval"
        label="Billing period"
        value={interval}
        onChange={setInterval}
        choices={[
          ['MONTHLY', 'Months'],
          ['QUARTERLY', 'Quarters'],
          ['YEARLY', 'Years'],
          ['WEEKLY', 'Weeks'],
          ['DAILY', 'Days'],
          ['ONE_TIME', 'One time'],
        ]}
      />
      {interval !== 'ONE_TIME' && (
        <TextField
          name="trialDays"
          label="Free trial (days)"
          inputMode="numeric"
          hint="Optional."
        />
      )}
    </>
  );
}

function newProduct(values: FormValues) {
  const currency = values.text('currency').trim().toUpperCase();
  const { type, amount, tiers } = typedPrice(values, currency);
  return {
    name: values.text('name'),
    description: values.optional('description'),
    type,
    currency,
    amount,
    billingInterval: values.text('billingInterval'),
    intervalCount: typedCount(values.optional('intervalCount')),
    trialDays: typedCount(values.optional('trialDays')),
    taxCategory: values.optional('taxCategory'),
    lookupKey: values.optional('lookupKey'),
    metadata: typedMetadata(values.text('metadata')),
    tiers,
  };
}

/** Price of the form; a price of tiers has the amount 0. */
function typedPrice(values: FormValues, currency: string) {
  const tiers = typedTiers(values, currency);
  const amount = tiers === undefined ? typedAmount(values.text('amount'), currency) : 0;
  return { type: values.text('type'), amount, tiers };
}
