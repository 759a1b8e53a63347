import type { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { useAction, usePage } from '../../api/queries';
import { ChoicesField, Form, SelectField, TextField } from '../../parts/form';
import { EmptyState } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import type { Discount } from '../discounts/discount-text';
import type { Product } from '../products/price-text';

export type CheckoutLink = ReturnType<typeof toJsonCheckoutLink>;

const choicesMax = 100;

/** A new public offer. */
export function LinkForm({
  onCancel,
  onMade,
}: {
  onCancel: () => void;
  onMade: (link: CheckoutLink) => void;
}) {
  const products = usePage<Product>('/v1/products', { active: true, perPage: choicesMax });
  const discounts = usePage<Discount>('/v1/discounts', { active: true, perPage: choicesMax });
  const create = useAction<object, CheckoutLink>((body) => ({
    method: 'POST',
    path: '/v1/checkout-links',
    body,
  }));
  const nameOf = new Map((products.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <Answer of={products} what="products">
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="There is nothing to sell yet">Make a product first.</EmptyState>
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
              });
              onMade(link);
            }}
          >
            <TextField name="label" label="Title" hint="Visitors see it." />
            <ChoicesField
              name="productIds"
              label="Products"
              hint="Visitors pick one of them."
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
            <TextField
              name="successUrl"
              label="Where payers go afterwards"
              type="url"
              hint="Empty: they stay on a page that thanks them."
            />
          </Form>
        )
      }
    </Answer>
  );
}
