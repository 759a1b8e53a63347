import { useListed } from '../../api/queries';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { Answer } from '../../parts/element/notices';
import { isRecurring, ProductField } from '../../resources/pickers';
import type { Product } from '../../resources/product';
import type { Subscription } from '../../resources/subscription';
import { ChangeSteps } from './change-steps';
import { type WantedChange, wantedChange } from './plan-change';

/** Button that changes product or quantity of a subscription, after a preview of the price. */
export function PlanChange({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const { productId, quantity, currency, status } = subscription;
  if (status === 'CANCELED') return null;
  return (
    <DialogButton
      label="Change plan"
      title="Change plan or quantity"
      tone="quiet"
      refusal={refusal}
    >
      {(close) => (
        <ChangeSteps
          {...{ subscription, close }}
          kind="UPDATE"
          initial={{ productId, quantity, at: 'AUTO', proration: 'PRORATE' }}
          form={(wanted: WantedChange, onReview) => (
            <WantedStep {...{ wanted, currency, close, onReview }} />
          )}
        />
      )}
    </DialogButton>
  );
}

const times = [
  ['AUTO', 'Upgrades now, downgrades at period end'],
  ['NOW', 'Now'],
  ['PERIOD_END', 'At period end'],
] as const;

const prorations = [
  ['PRORATE', 'The rest of the period'],
  ['FULL_AND_RESET', 'A full new period, without credit'],
  ['NONE', 'Nothing until the next period'],
] as const;

function WantedStep({
  wanted,
  currency,
  close,
  onReview,
}: {
  wanted: WantedChange;
  currency: string;
  close: () => void;
  onReview: (wanted: WantedChange) => Promise<void>;
}) {
  const chosen = useListed<Product>('/v1/products', wanted.productId);
  return (
    <Answer of={chosen} what="product">
      {(product) => (
        <Form
          submit="Review price"
          onCancel={close}
          onSubmit={(values) => onReview(wantedChange(values))}
        >
          <ProductField
            initial={product ?? undefined}
            isOffered={(one) => isRecurring(one) && one.currency === currency}
          />
          <TextField
            name="quantity"
            label="Quantity"
            inputMode="numeric"
            autoComplete="off"
            defaultValue={String(wanted.quantity)}
          />
          <SelectField name="at" label="When" choices={times} defaultValue={wanted.at} />
          <SelectField
            name="proration"
            label="Charge for a change now"
            choices={prorations}
            defaultValue={wanted.proration}
          />
        </Form>
      )}
    </Answer>
  );
}
