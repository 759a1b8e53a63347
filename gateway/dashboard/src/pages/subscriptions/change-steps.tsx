import { useAction } from '../../api/queries';
import {
  effectText,
  confirmLabel,
  failureText,
  outcomeText,
  type SubscriptionChange,
} from './plan-change';
import { type AskedTime, nextTitle } from '../../resources/purchase/preview';
import { ReviewedSteps, type StepForm } from '../../resources/purchase/reviewed-steps';
import type { Subscription } from '../../resources/subscription';

/** Two steps of a change: its form, if there is one, then the review of its price. */
export function ChangeSteps<Wanted extends AskedTime>({
  subscription,
  kind,
  ...steps
}: {
  subscription: Pick<Subscription, 'id' | 'currency'>;
  kind: SubscriptionChange['kind'];
  initial: Wanted;
  close: () => void;
  form: StepForm<Wanted>;
}) {
  const { id: subscriptionId, currency } = subscription;
  const create = useAction<object, SubscriptionChange>(
    (body) => ({ method: 'POST', path: `/v1/subscriptions/${subscriptionId}/changes`, body }),
    (change) => {
      const text = outcomeText(change);
      return text === undefined ? undefined : { text };
    },
  );
  return (
    <ReviewedSteps<Wanted>
      {...steps}
      currency={currency}
      asked={(change) => ({ kind: 'CHANGE', subscriptionId, change })}
      act={async (wanted, previewToken) => {
        const change = await create.mutateAsync({ ...wanted, previewToken });
        if (change.status === 'FAILED') throw declined(change);
      }}
      effect={effectText}
      next={nextTitle}
      submit={(preview) => confirmLabel(preview, { currency, kind })}
    />
  );
}

function declined(change: SubscriptionChange): Error {
  return new Error(`The payment failed: ${failureText(change)}. Nothing has changed`);
}
