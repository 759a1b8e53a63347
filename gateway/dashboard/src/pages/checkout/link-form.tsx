import type { toJsonListedLink } from '@billing/gateway/operator/checkout-link-routes';
import type { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { useAction, useListed } from '../../api/queries';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, TextField } from '../../parts/form/form';
import { EmptyState } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Skeleton } from '../../parts/element/skeleton';
import { MetadataField } from '../../parts/resource/metadata';
import { typedMetadata } from '../../parts/text/metadata-text';
import type { Discount } from '../../resources/discount';
import type { Product } from '../../resources/product';
import { DiscountField, ProductsField, useSoldProducts } from '../../resources/pickers';
import { codeLabels, collectLabels, typedBounds } from './link-terms';

export type CheckoutLink = ReturnType<typeof toJsonCheckoutLink>;
/** Checkout link with the names of its products and its discount. */
export type ListedLink = ReturnType<typeof toJsonListedLink>;

interface EditProps {
  readonly link: ListedLink;
  readonly onSave: (changes: object) => Promise<unknown>;
  readonly onDone: () => void;
}

/** Form for the fields of a checkout link that can be changed; an empty field is cleared. */
export function LinkEditForm(props: EditProps) {
  const { discountId } = props.link;
  const products = useSoldProducts();
  const discount = useListed<Discount>('/v1/discounts', discountId ?? '');
  const isRead = discountId === null || discount.data !== undefined || discount.error !== null;
  return (
    <Answer of={products} what="products">
      {(sold) =>
        isRead ? (
          <EditForm {...props} sold={sold} discount={discount.data ?? null} />
        ) : (
          <Skeleton label="Loading discount" />
        )
      }
    </Answer>
  );
}

function EditForm({
  link,
  sold,
  discount,
  onSave,
  onDone,
}: EditProps & {
  readonly sold: { readonly data: readonly Product[]; readonly total: number };
  readonly discount: Discount | null;
}) {
  const { label, productIds, successUrl, returnUrl, metadata } = link;
  return (
    <Form
      submit="Save"
      onCancel={onDone}
      onSubmit={async (values) => {
        const marked = values.all('productIds');
        const kept = productIds.filter((id) => marked.includes(id));
        await onSave({
          label: values.text('label'),
          // The page of the link shows the products in this order.
          productIds: [...new Set([...kept, ...marked])],
          discountId: values.optional('discountId') ?? null,
          successUrl: values.optional('successUrl') ?? null,
          returnUrl: values.optional('returnUrl') ?? null,
          quantity: typedBounds(values),
          collect: values.all('collect'),
          allowDiscountCodes: values.all('codes').length > 0,
          metadata: typedMetadata(values.text('metadata')),
        });
        onDone();
      }}
    >
      <TextField name="label" label="Title" hint="Shown to customers." defaultValue={label} />
      <ProductsField
        newest={sold.data}
        total={sold.total}
        initial={link.products.map(({ id, name }) => ({ id, label: name ?? id }))}
        hint="Customers choose one of these. Checkouts in progress keep theirs."
      />
      <DiscountField initial={discount} />
      <TermsFields {...link} />
      <AddressFields {...{ successUrl, returnUrl }} />
      <MetadataField rows={3} metadata={metadata} />
    </Form>
  );
}

/** Quantities to choose from, facts that the page asks for, and discount codes. */
function TermsFields({
  quantity,
  collect,
  allowDiscountCodes,
}: Pick<CheckoutLink, 'quantity' | 'collect' | 'allowDiscountCodes'>) {
  return (
    <>
      <TextField
        name="quantity.min"
        label="Smallest quantity"
        inputMode="numeric"
        hint="Optional. Default: 1."
        defaultValue={quantity?.min ?? ''}
      />
      <TextField
        name="quantity.max"
        label="Largest quantity"
        inputMode="numeric"
        hint="Optional. Default: 1. Not asked if all products are flat fees."
        defaultValue={quantity?.max ?? ''}
      />
      <ChoicesField
        name="collect"
        label="Ask customers for"
        hint="The email address is always asked for."
        choices={Object.keys(collectLabels)}
        labelOf={(fact) => collectLabels[fact as keyof typeof collectLabels]}
        marked={collect}
      />
      <ChoicesField
        name="codes"
        label="Discount codes"
        hint="On the payment page, unless the link has a discount."
        choices={Object.keys(codeLabels)}
        labelOf={(choice) => codeLabels[choice as keyof typeof codeLabels]}
        marked={allowDiscountCodes ? ['ALLOWED'] : []}
      />
    </>
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
  const products = useSoldProducts();
  const create = useAction<object, CheckoutLink>(
    (body) => ({
      method: 'POST',
      path: '/v1/checkout-links',
      body,
    }),
    'Checkout link created',
  );
  return (
    <Answer of={products} what="products">
      {({ data, total }) =>
        total === 0 ? (
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
                quantity: typedBounds(values),
                collect: values.all('collect'),
                allowDiscountCodes: values.all('codes').length > 0,
                metadata: typedMetadata(values.text('metadata')),
              });
              onCreated(link);
            }}
          >
            <TextField name="label" label="Title" hint="Shown to customers." />
            <ProductsField newest={data} total={total} hint="Customers choose one of these." />
            <DiscountField />
            <TermsFields quantity={null} collect={[]} allowDiscountCodes={false} />
            <AddressFields successUrl={null} returnUrl={null} />
            <MetadataField rows={3} />
          </Form>
        )
      }
    </Answer>
  );
}
