import { fieldProblem } from '../api/problem';
import { useAction } from '../api/queries';
import { Form, TextField } from '../parts/form/form';
import { Answer, Notice } from '../parts/element/notices';
import type { Product } from './product';
import { newSubscription } from './new-subscription';
import {
  CustomerField,
  DiscountField,
  isRecurring,
  ProductField,
  useSoldProducts,
} from './pickers';
import type { Subscription } from './subscription';

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
  const products = useSoldProducts();
  return (
    <Answer of={products} what="products">
      {({ data, total }) => {
        const initial = data.find(isRecurring);
        if (initial !== undefined || total > data.length) {
          return <ProductForm {...{ initial, customerId, onCancel, onCreated }} />;
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
  initial,
  onCancel,
  onCreated,
}: {
  customerId: string | undefined;
  /** Product that is chosen at first. */
  initial: Product | undefined;
  onCancel: () => void;
  onCreated: (subscription: Subscription) => void;
}) {
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
        const whose = customerId ?? values.text('customerId');
        if (whose === '') throw fieldProblem('customerId', 'Required');
        if (values.text('productId') === '') throw fieldProblem('productId', 'Required');
        onCreated(await create.mutateAsync(newSubscription(values, whose)));
      }}
    >
      {customerId === undefined && <CustomerField />}
      <ProductField initial={initial} isOffered={isRecurring} />
      <TextField name="quantity" label="Quantity" inputMode="numeric" defaultValue="1" />
      <DiscountField />
      <TextField
        name="startAt"
        label="Start (UTC)"
        type="datetime-local"
        hint="Optional. Default: now. With a past start, only the current period is billed."
      />
      <TextField
        name="authorizedTransactionId"
        label="Authorized transaction ID"
        hint="Optional. Default: charges the saved payment method. Without one, customers pay on the invoice page."
        autoComplete="off"
      />
    </Form>
  );
}
