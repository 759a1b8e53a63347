import type { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { useAction, usePage } from '../../api/queries';
import { ChoicesField, Form, SelectField, TextField } from '../../parts/form/form';
import { EmptyState } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import type { Discount } from '../../resources/discount';
import type { Product } from '../../resources/product';

export type CheckoutLink = ReturnType<typeof toJsonCheckoutLink>;

const choicesMax = 100;

/** Form for the fields of a checkout link that can be changed; an empty field is cleared. */
export function LinkEditForm({
  link: { label, successUrl, returnUrl },
  onSave,
  onDone,
}: {
  link: CheckoutLink;
  onSave: (changes: object) => Promise<unknown>;
  onDone: () => void;
}) {
  return (
    <Form
      submit="Save"
      onCancel={onDone}
      onSubmit={async (values) => {
        await onSave({
          label: values.text('label'),
          successUrl: values.optional('successUrl') ?? null,
          returnUrl: values.optional('returnUrl') ?? null,
        });
        onDone();
      }}
    >
      <TextField name="label" label="Title" hint="Shown to customers." defaultValue={label} />
      <AddressFields {...{ successUrl, returnUrl }} />
    </Form>
  );
}

/** Addresses to which a visitor goes. */
function AddressFields({
  successUrl,
  returnUrl,
}: {
  successUrl: string | null;
  returnUrl: string | null;
}) {
  return (
    <>
      <TextField
        name="successUrl"
        label="Success URL"
        type="url"
        hint="Optional. Customers go here after paying. Default: a confirmation page."
        defaultValue={successUrl ?? ''}
      />
      <TextField
        name="returnUrl"
        label="Return URL"
        type="url"
        hint="Optional. Visitors who leave without paying go here."
        defaultValue={returnUrl ?? ''}
      />
    </>
  );
}

/** Form for a new checkout link. */
export function LinkForm({
  onCancel,
  onCreated,
}: {
  onCancel: () => void;
  onCreated: (link: CheckoutLink) => void;
}) {
  const products = usePage<Product>('/v1/products', { active: true, perPage: choicesMax });
  const discounts = usePage<Discount>('/v1/discounts', { active: true, perPage: choicesMax });
  const create = useAction<object, CheckoutLink>(
    (body) => ({
      method: 'POST',
      path: '/v1/checkout-links',
      body,
    }),
    'Checkout link created',
  );
  const nameOf = new Map((products.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <Answer of={products} what="products">
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No products yet">Create a product first.</EmptyState>
        ) : (
          <Form
            submit="Create link"
            onCancel={onCancel}
            onSubmit={async (values) => {
              const link = await create.mutateAsync({
                label: values.text('label'),
                productIds: values.all('productIds'),
                discountId: values.optional('discountId'),
                successUrl: values.optional('successUrl'),
                returnUrl: values.optional('returnUrl'),
              });
              onCreated(link);
            }}
          >
            <TextField name="label" label="Title" hint="Shown to customers." />
            <ChoicesField
              name="productIds"
              label="Products"
              hint="Customers choose one of these."
              choices={data.map(({ id }) => id)}
              labelOf={(id) => nameOf.get(id) ?? id}
            />
            <SelectField
              name="discountId"
              label="Discount"
              choices={[
                ['', 'None'],
                ...(discounts.data?.data ?? []).map(({ id, name }): readonly [string, string] => [
                  id,
                  name,
                ]),
              ]}
            />
            <AddressFields successUrl={null} returnUrl={null} />
          </Form>
        )
      }
    </Answer>
  );
}
