import { useAction } from '../../api/queries';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField } from '../../parts/form/form';
import { dayText } from '../../parts/text/time-text';
import { nextTitle } from '../../resources/purchase/preview';
import { ReviewedSteps } from '../../resources/purchase/reviewed-steps';
import {
  cancellationOf,
  endsAnyway,
  type Subscription,
  type WantedEnd,
  whenOf,
} from '../../resources/subscription';
import { endText } from './plan-change';

/** Cancels a subscription, or undoes a scheduled cancellation. */
export function Cancellation({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const { id: subscriptionId, currency } = subscription;
  const path = `/v1/subscriptions/${subscriptionId}`;
  const cancel = useAction(
    (body: object) => ({ method: 'POST', path: `${path}/cancel`, body }),
    'Cancellation saved',
  );
  const end = dayText(subscription.currentPeriodEnd);
  if (subscription.status === 'CANCELED') return null;
  return (
    <>
      {subscription.cancelAtPeriodEnd && <Uncancellation {...{ subscription, refusal, end }} />}
      <DialogButton label="Cancel" title="Cancel this subscription?" tone="quiet" refusal={refusal}>
        {(close) => (
          <ReviewedSteps<WantedEnd>
            {...{ close, currency }}
            initial={{ atPeriodEnd: true }}
            asked={(wanted) => ({ kind: 'CANCEL', subscriptionId, ...wanted })}
            act={async (wanted, previewToken) => {
              await cancel.mutateAsync({ ...wanted, previewToken });
            }}
            effect={endText}
            next={(preview) => nextTitle(preview)}
            submit={() => 'Cancel subscription'}
            tone="danger"
            form={(wanted, onReview) => (
              <EndForm {...{ wanted, subscription, end, close, onReview }} />
            )}
          />
        )}
      </DialogButton>
    </>
  );
}

function EndForm({
  wanted,
  subscription,
  end,
  close,
  onReview,
}: {
  wanted: WantedEnd;
  subscription: Pick<Subscription, 'phase'>;
  end: string;
  close: () => void;
  onReview: (wanted: WantedEnd) => Promise<void>;
}) {
  return (
    <Form
      submit="Review"
      dismiss="Keep subscription"
      onCancel={close}
      onSubmit={(values) => onReview(cancellationOf(subscription, values.optional('when')))}
    >
      {endsAnyway(subscription) ? (
        <p>
          {subscription.phase === 'PAUSED' ? 'It is paused.' : 'It has not started yet.'} It ends
          immediately.
        </p>
      ) : (
        <SelectField
          name="when"
          label="When"
          choices={[
            ['end', `At period end, ${end}`],
            ['now', 'Immediately, no credit'],
            ['credit', 'Immediately, credit the rest of the period'],
          ]}
          defaultValue={whenOf(wanted)}
        />
      )}
    </Form>
  );
}

function Uncancellation({
  subscription,
  refusal,
  end,
}: {
  subscription: Subscription;
  refusal: string | undefined;
  end: string;
}) {
  const path = `/v1/subscriptions/${subscription.id}/uncancel`;
  const undo = useAction(() => ({ method: 'POST', path, body: {} }), 'Cancellation undone');
  return (
    <ConfirmButton
      label="Undo cancellation"
      title="Undo the cancellation?"
      tone="main"
      refusal={refusal}
      onConfirm={() => undo.mutateAsync({})}
    >
      <p>The subscription will renew on {end} instead of ending.</p>
    </ConfirmButton>
  );
}
