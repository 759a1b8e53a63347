import { useEnvironment } from '../api/environment';
import { type Page, send } from '../api/client';
import { ApiProblem } from '../api/problem';
import { useAction, useResource } from '../api/queries';
import { Form, SelectField, TextField } from '../parts/form/form';
import { Answer, Notice } from '../parts/element/notices';
import type { Customer } from './customer';
import { type Discount, termsText } from './discount';
import { priceText, type Product } from './product';
import { pluralText } from '../parts/text/text';
import { customerQuery, newSubscription } from './new-subscription';
import type { Subscription } from './subscription';

const offered = { active: true, perPage: 100 };

/** Form for a new subscription, with a customer field if no customer is given. */
export function SubscriptionForm({
  customerId,
  onCancel,
  onCreated,
}: {
  customerId?: string;
  onCancel: () => void;
  onCreated: (subscription: Subscription) => void;
}) {
  const products = useResource<Page<Product>>('/v1/products', { query: offered });
  return (
    <Answer of={products} what="products">
      {({ data }) => {
        const recurring = data.filter(({ billingInterval }) => billingInterval !== 'ONE_TIME');
        if (recurring.length > 0) {
          return <ProductForm products={recurring} {...{ customerId, onCancel, onCreated }} />;
        }
        return (
          <Notice tone="wait">
            <p>No active recurring products. Create one on the Products page first.</p>
          </Notice>
        );
      }}
    </Answer>
  );
}

function ProductForm({
  customerId,
  products,
  onCancel,
  onCreated,
}: {
  customerId: string | undefined;
  products: readonly Product[];
  onCancel: () => void;
  onCreated: (subscription: Subscription) => void;
}) {
  const discounts = useResource<Page<Discount>>('/v1/discounts', { query: offered });
  const findCustomer = useCustomerSearch();
  const create = useAction<object, Subscription>(
    (body) => ({
      method: 'POST',
      path: '/v1/subscriptions',
      body,
    }),
    'Subscription created',
  );
  return (
    <Form
      submit="Create subscription"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const whose = customerId ?? (await findCustomer(values.text('customerId')));
        onCreated(await create.mutateAsync(newSubscription(values, whose)));
      }}
    >
      {customerId === undefined && (
        <TextField
          name="customerId"
          label="Customer"
          hint="Email, external ID or ID."
          autoComplete="off"
        />
      )}
      <SelectField name="productId" label="Product" choices={products.map(productChoice)} />
      <TextField name="quantity" label="Quantity" inputMode="numeric" defaultValue="1" />
      <SelectField
        name="discountId"
        label="Discount"
        choices={[['', 'None'], ...(discounts.data?.data ?? []).map(discountChoice)]}
      />
      <TextField
        name="startAt"
        label="Start (UTC)"
        type="datetime-local"
        hint="Optional. Default: now. With a past start, only the current period is billed."
      />
      <TextField
        name="authorizedTransactionId"
        label="Authorized transaction ID"
        hint="Optional. Default: the saved payment method is charged, or the invoice is payable on its page."
        autoComplete="off"
      />
    </Form>
  );
}

function productChoice(product: Product): readonly [string, string] {
  const { id, name, trialDays } = product;
  const trial =
    trialDays === null || trialDays === 0 ? '' : `, ${pluralText(trialDays, 'day')} free`;
  return [id, `${name}: ${priceText(product)}${trial}`];
}

function discountChoice(discount: Discount): readonly [string, string] {
  return [discount.id, `${discount.name}: ${termsText(discount)}`];
}

/** Finds the id of a customer by the input. Throws a field error for no match, or for several. */
function useCustomerSearch() {
  const { id: environmentId } = useEnvironment();
  return async (typed: string): Promise<string> => {
    if (typed.trim() === '') throw customerProblem('Required');
    const query = customerQuery(typed);
    if (query === undefined) return typed.trim();
    const found = (await send({ path: '/v1/customers', query, environmentId })) as Page<Customer>;
    const [customer] = found.data;
    if (customer === undefined) throw customerProblem('Customer not found');
    if (found.total > 1) throw customerProblem('Several customers have this email. Enter an ID');
    return customer.id;
  };
}

function customerProblem(message: string): ApiProblem {
  return new ApiProblem('Please fix the fields below', {
    status: 400,
    code: 'invalid_request',
    fields: { customerId: [message] },
    requestId: undefined,
  });
}
