import { type ReactNode, useState } from 'react';
import { useAction, useComputation } from '../../api/queries';
import { Form } from '../../parts/form/form';
import { Notice } from '../../parts/element/notices';
import type { Subscription } from '../../resources/subscription';
import {
  confirmLabel,
  dueText,
  effectText,
  failureText,
  nextTitle,
  outcomeText,
  type Preview,
  staleText,
  type SubscriptionChange,
  type SumRow,
  sumRows,
  withoutNesting,
} from './plan-change';

/** A preview, and the reason why an earlier one was refused. */
interface Review {
  readonly preview: Preview;
  readonly stale?: string;
}

/** Two steps of a change: its form, if there is one, then the review of its price. */
export function ChangeSteps<Wanted extends object>({
  subscription,
  kind,
  initial,
  close,
  form,
}: {
  subscription: Pick<Subscription, 'id' | 'currency'>;
  kind: SubscriptionChange['kind'];
  initial: Wanted;
  close: () => void;
  form: (wanted: Wanted, onReview: (wanted: Wanted) => Promise<void>) => ReactNode;
}) {
  const { id: subscriptionId, currency } = subscription;
  const [wanted, setWanted] = useState<Wanted>(initial);
  const [review, setReview] = useState<Review>();
  const compute = useComputation<Wanted, Preview>((change) => ({
    method: 'POST',
    path: '/v1/previews',
    body: { kind: 'CHANGE', subscriptionId, change },
  }));
  const create = useAction<object, SubscriptionChange>(
    (body) => ({ method: 'POST', path: `/v1/subscriptions/${subscriptionId}/changes`, body }),
    (change) => {
      const text = outcomeText(change);
      return text === undefined ? undefined : { text };
    },
  );
  const confirm = async ({ token }: Preview) => {
    try {
      const change = await create.mutateAsync({ ...wanted, previewToken: token });
      if (change.status === 'FAILED') throw declined(change);
      close();
    } catch (error) {
      const stale = staleText(error);
      if (stale === undefined) throw error;
      setReview({ preview: await compute.mutateAsync(wanted), stale });
    }
  };
  if (review !== undefined) {
    return (
      <ReviewStep
        {...{ review, currency, kind }}
        onBack={() => setReview(undefined)}
        onConfirm={() => confirm(review.preview)}
      />
    );
  }
  return form(wanted, async (change) => {
    setWanted(change);
    try {
      setReview({ preview: await compute.mutateAsync(change) });
    } catch (error) {
      throw withoutNesting(error);
    }
  });
}

function ReviewStep({
  review: { preview, stale },
  currency,
  kind,
  onBack,
  onConfirm,
}: {
  review: Review;
  currency: string;
  kind: SubscriptionChange['kind'];
  onBack: () => void;
  onConfirm: () => Promise<void>;
}) {
  const { invoice, nextInvoice } = preview;
  const next = nextTitle(preview);
  return (
    <Form
      submit={confirmLabel(preview, { currency, kind })}
      dismiss="Back"
      onCancel={onBack}
      onSubmit={onConfirm}
    >
      {stale !== undefined && (
        <Notice tone="wait">
          <p>
            <strong>{stale}</strong> Please review again.
          </p>
        </Notice>
      )}
      <section className="review">
        <h3>Today</h3>
        <p>
          <strong>{dueText(preview, currency)}</strong> {effectText(preview)}
        </p>
        {invoice !== null && <Sums rows={sumRows(invoice)} />}
      </section>
      {nextInvoice !== null && next !== undefined && (
        <section className="review">
          <h3>{next}</h3>
          <Sums rows={sumRows(nextInvoice)} />
        </section>
      )}
    </Form>
  );
}

function Sums({ rows }: { rows: readonly SumRow[] }) {
  return (
    <dl className="sums">
      {rows.map(({ name, text, isTotal }, index) => (
        <div key={`${name} ${String(index)}`} className={isTotal ? 'sum-total' : undefined}>
          <dt>{name}</dt>
          <dd className="number">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function declined(change: SubscriptionChange): Error {
  return new Error(`The payment failed: ${failureText(change)}. Nothing has changed`);
}
