import { useState } from 'react';
import { fieldProblem } from '../../api/problem';
import { useAction } from '../../api/queries';
import { Answer, Notice } from '../../parts/element/notices';
import { Form, TextField } from '../../parts/form/form';
import { toTimeField } from '../../parts/text/time-field';
import type { Customer } from '../customer';
import type { Discount } from '../discount';
import { CustomerField, DiscountField, useSoldProducts } from '../pickers';
import type { Product } from '../product';
import type { Subscription } from '../subscription';
import { ChosenCustomer, ChosenDiscount, ChosenProducts } from './chosen';
import { ItemFields } from './item-fields';
import {
  firstOrNextTitle,
  newSubscription,
  purchasePreview,
  startText,
  type WantedSubscription,
} from './new-subscription';
import { PaymentFields } from './payment-fields';
import { ReviewedSteps } from './reviewed-steps';

interface FormProps {
  /** Absent: the form has a field for it. */
  readonly customerId?: string | undefined;
  readonly onCancel: () => void;
  readonly onCreated: (subscription: Subscription) => void;
}

/** Form for a new subscription, with a customer field if no customer is given. */
export function SubscriptionForm(props: FormProps) {
  const products = useSoldProducts({ recurring: true });
  return (
    <Answer of={products} what="products">
      {({ data: [newest] }) =>
        newest === undefined ? (
          <Notice tone="wait">
            <p>No active recurring products. Create one on the Products page first.</p>
          </Notice>
        ) : (
          <PurchaseSteps {...props} newest={newest} />
        )
      }
    </Answer>
  );
}

function PurchaseSteps({
  customerId = '',
  newest,
  onCancel,
  onCreated,
}: FormProps & {
  /** Product that is chosen at first. */
  readonly newest: Product;
}) {
  const create = useAction<object, Subscription>(
    (body) => ({ method: 'POST', path: '/v1/subscriptions', body }),
    'Subscription created',
  );
  const nothing = { discountId: null, startAt: null, authorizedTransactionId: null };
  return (
    <ReviewedSteps<WantedSubscription>
      initial={{ customerId, productId: newest.id, quantity: 1, ...nothing }}
      close={onCancel}
      asked={purchasePreview}
      act={async (wanted, previewToken) => {
        onCreated(await create.mutateAsync({ ...wanted, previewToken }));
      }}
      effect={startText}
      next={firstOrNextTitle}
      submit={() => 'Create subscription'}
      form={(wanted, onReview) => (
        <WantedStep {...{ wanted, onCancel, onReview }} hasCustomerField={customerId === ''} />
      )}
    />
  );
}

interface StepProps {
  readonly wanted: WantedSubscription;
  readonly hasCustomerField: boolean;
  readonly onCancel: () => void;
  readonly onReview: (wanted: WantedSubscription) => Promise<void>;
}

/** The form, with what was chosen before a review. */
function WantedStep(props: StepProps) {
  const { wanted, hasCustomerField } = props;
  return (
    <ChosenProducts wanted={wanted}>
      {(products) => (
        <ChosenDiscount id={wanted.discountId ?? ''}>
          {(discount) => (
            <ChosenCustomer id={hasCustomerField ? wanted.customerId : ''}>
              {(customer) => <WantedForm {...{ ...props, products, discount, customer }} />}
            </ChosenCustomer>
          )}
        </ChosenDiscount>
      )}
    </ChosenProducts>
  );
}

function WantedForm({
  wanted,
  hasCustomerField,
  products,
  discount,
  customer,
  onCancel,
  onReview,
}: StepProps & {
  readonly products: readonly Product[];
  readonly discount: Discount | null;
  readonly customer: Customer | null;
}) {
  const [currency, setCurrency] = useState(products[0]?.currency);
  return (
    <Form
      submit="Review price"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const whose = hasCustomerField ? values.text('customerId') : wanted.customerId;
        if (whose === '') throw fieldProblem('customerId', 'Required');
        await onReview(newSubscription(values, whose));
      }}
    >
      {hasCustomerField && <CustomerField initial={customer} />}
      <ItemFields
        wanted={wanted}
        products={products}
        onFirst={(product) => setCurrency(product.currency)}
      />
      <DiscountField initial={discount} currency={currency} />
      <TextField
        name="startAt"
        label="Start (UTC)"
        type="datetime-local"
        hint="Optional. Default: now. With a past start, only the current period is billed."
        defaultValue={toTimeField(wanted.startAt ?? '')}
      />
      <PaymentFields authorizedTransactionId={wanted.authorizedTransactionId} />
    </Form>
  );
}
