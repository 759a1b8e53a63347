import { DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField } from '../../parts/form/form';
import { DiscountField } from '../../resources/pickers';
import { WhenField } from '../../parts/form/when-field';
import { ChosenDiscount, ChosenProducts } from '../../resources/purchase/chosen';
import { ItemFields } from '../../resources/purchase/item-fields';
import type { Subscription } from '../../resources/subscription';
import { ChangeSteps } from './change-steps';
import { type WantedChange, wantedChange } from './plan-change';

/** Button that changes products, quantities or discount of a subscription, after a preview. */
export function PlanChange({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const { status } = subscription;
  if (status === 'CANCELED') return null;
  return (
    <DialogButton
      label="Change plan"
      title="Change plan, quantity or discount"
      tone="quiet"
      refusal={refusal}
    >
      {(close) => (
        <ChangeSteps
          {...{ subscription, close }}
          kind="UPDATE"
          initial={presentPlan(subscription)}
          form={(wanted: WantedChange, onReview) => (
            <WantedStep {...{ wanted, subscription, close, onReview }} />
          )}
        />
      )}
    </DialogButton>
  );
}

function presentPlan({ productId, quantity, items }: Subscription): WantedChange {
  const terms = { at: 'AUTO', proration: 'PRORATE' };
  if (items.length === 1) return { productId, quantity, ...terms };
  return { items: items.map(wantedOf), ...terms };
}

const wantedOf = ({ productId, quantity }: Subscription['items'][number]) => ({
  productId,
  quantity,
});

const times = [
  ['AUTO', 'Upgrades now, downgrades at period end'],
  ['NOW', 'Now'],
  ['PERIOD_END', 'At period end'],
] as const;

const prorations = [
  ['PRORATE', 'Prorated, now'],
  ['NEXT_INVOICE', 'Prorated, on the next invoice'],
  ['FULL_AND_RESET', 'A full new period, no credit'],
  ['NONE', 'Nothing until the next period'],
] as const;

interface WantedStepProps {
  wanted: WantedChange;
  subscription: Pick<Subscription, 'currency' | 'discountId'>;
  close: () => void;
  onReview: (wanted: WantedChange) => Promise<void>;
}

function WantedStep(props: WantedStepProps) {
  const { wanted, subscription, close, onReview } = props;
  const { discountId = subscription.discountId } = wanted;
  return (
    <ChosenProducts wanted={wanted}>
      {(products) => (
        <ChosenDiscount id={discountId ?? ''}>
          {(discount) => (
            <Form
              submit="Review price"
              onCancel={close}
              onSubmit={(values) => onReview(wantedChange(values, subscription))}
            >
              <ItemFields {...{ wanted, products }} currency={subscription.currency} />
              <DiscountField
                initial={discount}
                currency={subscription.currency}
                hint="From the next period on"
              />
              <WhenField choices={times} at={wanted.at} />
              <SelectField
                name="proration"
                label="Charge for a change now"
                choices={prorations}
                defaultValue={wanted.collect ?? wanted.proration}
              />
            </Form>
          )}
        </ChosenDiscount>
      )}
    </ChosenProducts>
  );
}
