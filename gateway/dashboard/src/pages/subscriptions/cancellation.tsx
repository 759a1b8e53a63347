import { useAction } from '../../api/queries';
import { ConfirmButton, DialogButton } from '../../parts/dialog';
import { Form, SelectField } from '../../parts/form';
import { dayText } from '../../parts/text';
import { cancellationOf, type Subscription } from './subscription';

/** Ends a subscription, or takes that back as long as it has not ended. */
export function Cancellation({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const path = `/v1/subscriptions/${subscription.id}`;
  const cancel = useAction((body: object) => ({ method: 'POST', path: `${path}/cancel`, body }));
  const end = dayText(subscription.currentPeriodEnd);
  if (subscription.status === 'CANCELED') return null;
  if (subscription.phase === 'SCHEDULED') {
    return (
      <ConfirmButton
        label="Cancel"
        title="Cancel this subscription?"
        confirm="Cancel subscription"
        refusal={refusal}
        onConfirm={() => cancel.mutateAsync(cancellationOf(subscription))}
      >
        <p>It has not started. It ends at once, and nothing is billed.</p>
      </ConfirmButton>
    );
  }
  return (
    <>
      {subscription.cancelAtPeriodEnd && <Uncancellation {...{ subscription, refusal, end }} />}
      <DialogButton label="Cancel" title="Cancel this subscription" tone="quiet" refusal={refusal}>
        {(close) => (
          <Form
            submit="Cancel it"
            tone="danger"
            onCancel={close}
            onSubmit={async (values) => {
              await cancel.mutateAsync(cancellationOf(subscription, values.text('when')));
              close();
            }}
          >
            <SelectField
              name="when"
              label="When"
              choices={[
                ['end', `At the end of the period, ${end}`],
                ['now', 'Now'],
              ]}
              hint="At the end of the period it can be taken back until then. Now: the usage so far is invoiced, an unpaid invoice of the running period is voided, and nothing brings it back."
            />
          </Form>
        )}
      </DialogButton>
    </>
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
  const undo = useAction(() => ({ method: 'POST', path, body: {} }));
  return (
    <ConfirmButton
      label="Keep it"
      title="Keep this subscription?"
      tone="main"
      refusal={refusal}
      onConfirm={() => undo.mutateAsync({})}
    >
      <p>It was to end on {end}. It will renew on that day instead.</p>
    </ConfirmButton>
  );
}
