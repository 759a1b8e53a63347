import { useAction } from '../../api/queries';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField } from '../../parts/form/form';
import { dayText } from '../../parts/text/time-text';
import { cancellationOf, type Subscription } from '../../resources/subscription';

/** Cancels a subscription, or undoes a scheduled cancellation. */
export function Cancellation({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const path = `/v1/subscriptions/${subscription.id}`;
  const cancel = useAction(
    (body: object) => ({ method: 'POST', path: `${path}/cancel`, body }),
    'Cancellation saved',
  );
  const end = dayText(subscription.currentPeriodEnd);
  if (subscription.status === 'CANCELED') return null;
  if (subscription.phase === 'SCHEDULED' || subscription.phase === 'PAUSED') {
    return (
      <ConfirmButton
        label="Cancel"
        title="Cancel this subscription?"
        confirm="Cancel subscription"
        dismiss="Keep subscription"
        refusal={refusal}
        onConfirm={() => cancel.mutateAsync(cancellationOf(subscription))}
      >
        <p>
          {subscription.phase === 'PAUSED' ? 'It is paused.' : 'It has not started yet.'} It is
          canceled immediately and nothing is billed.
        </p>
      </ConfirmButton>
    );
  }
  return (
    <>
      {subscription.cancelAtPeriodEnd && <Uncancellation {...{ subscription, refusal, end }} />}
      <DialogButton label="Cancel" title="Cancel this subscription?" tone="quiet" refusal={refusal}>
        {(close) => (
          <Form
            submit="Cancel subscription"
            dismiss="Keep subscription"
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
                ['end', `At period end, ${end}`],
                ['now', 'Immediately'],
              ]}
              hint="A cancellation at period end can be undone until then. An immediate cancellation invoices the usage so far, voids an unpaid invoice of the current period, and can’t be undone."
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
