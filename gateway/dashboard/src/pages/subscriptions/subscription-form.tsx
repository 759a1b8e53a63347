import { useEnvironment } from '../../api/environment';
import { send } from '../../api/client';
import { ApiProblem } from '../../api/problem';
import { useAction, useResource } from '../../api/queries';
import type { Page } from '../../api/resources';
import { Form, SelectField, TextField } from '../../parts/form';
import { Answer, Notice } from '../../parts/notices';
import type { Customer } from '../customers/customer';
import { type Discount, termsText } from '../discounts/discount-text';
import { priceText, type Product } from '../products/price-text';
import { customerQuery, newSubscription } from './new-subscription';
import type { Subscription } from './subscription';

const offered = { active: true, perPage: 100 };

/** Starts a subscription; without a customer it asks for whom. */
export function SubscriptionForm({
  customerId,
  onCancel,
  onMade,
}: {
  customerId?: string;
  onCancel: () => void;
  onMade: (subscription: Subscription) => void;
}) {
  const products = useResource<Page<Product>>('/v1/products', { query: offered });
  return (
    <Answer of={products} what="products">
      {({ data }) => {
        const recurring = data.filter(({ billingInterval }) => billingInterval !== 'ONE_TIME');
        if (recurring.length > 0) {
          return <ProductForm products={recurring} {...{ customerId, onCancel, onMade }} />;
        }
        return (
          <Notice tone="wait">
            <p>There is no active product that recurs. Make one first, under Products.</p>
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
  onMade,
}: {
  customerId: string | undefined;
  products: readonly Product[];
  onCancel: () => void;
  onMade: (subscription: Subscription) => void;
}) {
  const discounts = useResource<Page<Discount>>('/v1/discounts', { query: offered });
  const findCustomer = useCustomerSearch();
  const create = useAction<object, Subscription>((body) => ({
    method: 'POST',
    path: '/v1/subscriptions',
    body,
  }));
  return (
    <Form
      submit="Start subscription"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const whose = customerId ?? (await findCustomer(values.text('customerId')));
        onMade(await create.mutateAsync(newSubscription(values, whose)));
      }}
    >
      {customerId === undefined && (
        <TextField
          name="customerId"
          label="Customer"
          hint="Their e-mail, external id or id."
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
        label="Begins"
        type="datetime-local"
        hint="In UTC. Empty: now. In the past, only the period that is running now is billed."
      />
      <TextField
        name="authorizedTransactionId"
        label="Authorised payment"
        hint="Empty: the customer’s saved payment method is charged, or the invoice is payable on its page."
        autoComplete="off"
      />
    </Form>
  );
}

function productChoice(product: Product): readonly [string, string] {
  const { id, name, trialDays } = product;
  const trial = trialDays === null || trialDays === 0 ? '' : `, ${String(trialDays)} days free`;
  return [id, `${name}: ${priceText(product)}${trial}`];
}

function discountChoice(discount: Discount): readonly [string, string] {
  return [discount.id, `${discount.name}: ${termsText(discount)}`];
}

/** The id of a customer by what was typed. Throws a problem of the field where it is nobody, or several. */
function useCustomerSearch() {
  const { id: environmentId } = useEnvironment();
  return async (typed: string): Promise<string> => {
    if (typed.trim() === '') throw customerProblem('Required');
    const query = customerQuery(typed);
    if (query === undefined) return typed.trim();
    const found = (await send({ path: '/v1/customers', query, environmentId })) as Page<Customer>;
    const [customer] = found.data;
    if (customer === undefined) throw customerProblem('There is no such customer');
    if (found.total > 1) throw customerProblem('Several customers have this e-mail: give an id');
    return customer.id;
  };
}

function customerProblem(message: string): ApiProblem {
  return new ApiProblem('Some of this was not accepted', {
    status: 400,
    code: 'invalid_request',
    fields: { customerId: [message] },
    requestId: undefined,
  });
}
