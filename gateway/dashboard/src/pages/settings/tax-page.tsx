import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Form, SelectField, TextField } from '../../parts/form/form';
import type { Seller } from '../../resources/seller';
import { TaxRatePanel } from './tax-rate-panel';
import { typedTax } from './tax-values';

const prices = [
  ['OFF', 'No tax'],
  ['EXCLUDE_TAX', 'Prices exclude tax: it is added'],
  ['INCLUDE_TAX', 'Prices include tax'],
] as const;

/** Tax settings of the seller, and the rates of countries. */
export function TaxPage() {
  const answer = useResource<Seller>('/v1/seller');
  return (
    <PageLayout title="Tax" lead="Changes apply to invoices that are finalized from now on.">
      <Panel title="Settings">
        <Answer of={answer} what="tax settings" rows={4}>
          {(seller) => <TaxForm key={seller.version} seller={seller} />}
        </Answer>
      </Panel>
      <TaxRatePanel />
    </PageLayout>
  );
}

function TaxForm({ seller: { tax, address } }: { seller: Seller }) {
  const refusal = useRefusal('seller');
  const [chosen, setChosen] = useState<string>(tax?.prices ?? 'OFF');
  const save = useAction<object, Seller>(
    (body) => ({ method: 'PATCH', path: '/v1/seller', body }),
    'Tax settings saved',
  );
  const registrations = tax?.registrations ?? [address?.country ?? ''];
  return (
    <Form
      submit="Save"
      refusal={refusal}
      onSubmit={(values) => save.mutateAsync({ tax: typedTax(values) })}
    >
      <SelectField
        name="tax.prices"
        label="Prices"
        choices={prices}
        value={chosen}
        onChange={setChosen}
      />
      {chosen !== 'OFF' && (
        <TextField
          name="tax.registrations"
          label="Registrations"
          autoComplete="off"
          defaultValue={registrations.join(', ')}
          hint="Country codes where you are registered, your own among them, and EU for the one-stop shop. Such as DE, EU."
        />
      )}
    </Form>
  );
}
