import { useState } from 'react';
import type { toJsonPortalSettings } from '@billing/proto/json/portal-settings';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form } from '../../parts/form/form';
import { ProductListField } from '../../resources/product-list-field';

type PortalSettings = ReturnType<typeof toJsonPortalSettings>;

const path = '/v1/portal/settings';
/** Limit of the API. */
const plansMax = 20;

/** Changes that customers may make themselves in the portal. */
export function PortalPage() {
  const answer = useResource<PortalSettings>(path);
  return (
    <PageLayout
      title="Customer portal"
      lead="Changes that customers may make to their subscriptions."
    >
      <Panel>
        <Answer of={answer} what="portal settings" rows={4}>
          {(settings) => <PortalForm stored={settings} />}
        </Answer>
      </Panel>
    </PageLayout>
  );
}

function PortalForm({ stored }: { stored: PortalSettings }) {
  // A newer version that is read while the form is filled in must not replace its choices.
  const [settings, setSettings] = useState(stored);
  const refusal = useRefusal('portal');
  const save = useAction<object, PortalSettings>(
    (body) => ({ method: 'PATCH', path, body }),
    'Portal settings saved',
  );
  return (
    <Form
      key={settings.updatedAt}
      submit="Save"
      refusal={refusal}
      onSubmit={async (values) => {
        const products = values.all('products');
        const quantity = values.all('quantity').length > 0;
        setSettings(await save.mutateAsync({ products, quantity }));
      }}
    >
      <ProductListField
        name="products"
        label="Plans"
        hint="Customers may switch to these plans if the currency is the same. Without a plan, they cannot switch."
        initial={settings.products}
        productsMax={plansMax}
        terms={{ recurring: true }}
      />
      <ChoicesField
        name="quantity"
        label="Quantity"
        hint="Applies to plans that are priced by quantity."
        choices={['ALLOWED']}
        labelOf={() => 'Customers may change the quantity'}
        marked={settings.quantity ? ['ALLOWED'] : []}
      />
    </Form>
  );
}
