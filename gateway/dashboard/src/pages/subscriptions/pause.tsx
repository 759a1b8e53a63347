import { DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { WhenField } from '../../parts/form/when-field';
import { toTimeField } from '../../parts/text/time-field';
import { dayText } from '../../parts/text/time-text';
import type { Subscription } from '../../resources/subscription';
import { ChangeSteps } from './change-steps';
import { wantedPause, type WantedPause } from './plan-change';

/** Buttons that pause a subscription and end its pause, after a preview. */
export function Pause({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const { phase, cancelAtPeriodEnd } = subscription;
  if (phase === 'PAUSED') return <Resume {...{ subscription, refusal }} />;
  if (phase !== 'REGULAR' || cancelAtPeriodEnd) return null;
  return (
    <DialogButton label="Pause" title="Pause this subscription" tone="quiet" refusal={refusal}>
      {(close) => (
        <ChangeSteps
          {...{ subscription, close }}
          kind="PAUSE"
          initial={{ kind: 'PAUSE', at: 'PERIOD_END', proration: 'NONE' }}
          form={(wanted: WantedPause, onReview) => (
            <PauseForm {...{ wanted, subscription, close, onReview }} />
          )}
        />
      )}
    </DialogButton>
  );
}

function PauseForm({
  wanted,
  subscription: { currentPeriodEnd },
  close,
  onReview,
}: {
  wanted: WantedPause;
  subscription: Pick<Subscription, 'currentPeriodEnd'>;
  close: () => void;
  onReview: (wanted: WantedPause) => Promise<void>;
}) {
  return (
    <Form submit="Review" onCancel={close} onSubmit={(values) => onReview(wantedPause(values))}>
      <WhenField
        choices={[
          ['PERIOD_END', `At period end, ${dayText(currentPeriodEnd)}`],
          ['NOW', 'Now'],
        ]}
        at={wanted.at}
      />
      <SelectField
        name="proration"
        label="Unused time"
        choices={[
          ['NONE', 'No credit'],
          ['PRORATE', 'Credit the rest of the period'],
        ]}
        defaultValue={wanted.proration}
      />
      <TextField
        name="resumeAt"
        label="Resume (UTC)"
        type="datetime-local"
        hint="Optional. Default: the pause lasts until you resume the subscription."
        defaultValue={wanted.resumeAt === undefined ? undefined : toTimeField(wanted.resumeAt)}
      />
    </Form>
  );
}

function Resume({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  return (
    <DialogButton label="Resume" title="Resume this subscription" refusal={refusal}>
      {(close) => (
        <ChangeSteps
          {...{ subscription, close }}
          kind="RESUME"
          initial={{ kind: 'RESUME' }}
          form={(wanted, onReview) => (
            <Form submit="Review price" onCancel={close} onSubmit={() => onReview(wanted)}>
              <p>A new period begins when the subscription is resumed.</p>
            </Form>
          )}
        />
      )}
    </DialogButton>
  );
}
