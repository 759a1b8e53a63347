import { useState } from 'react';
import { useAction, useComputation, useListed } from '../../api/queries';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { Answer, Notice } from '../../parts/element/notices';
import { isRecurring, ProductField } from '../../resources/pickers';
import type { Product } from '../../resources/product';
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
  type WantedChange,
  wantedChange,
  withoutNesting,
} from './plan-change';

/** Button that changes product or quantity of a subscription, after a preview of the price. */
export function PlanChange({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  if (subscription.status === 'CANCELED') return null;
  return (
    <DialogButton
      label="Change plan"
      title="Change plan or quantity"
      tone="quiet"
      refusal={refusal}
    >
      {(close) => <PlanChangeSteps subscription={subscription} close={close} />}
    </DialogButton>
  );
}

/** A preview, and the reason why an earlier one was refused. */
interface Review {
  readonly preview: Preview;
  readonly stale?: string;
}

function PlanChangeSteps({
  subscription,
  close,
}: {
  subscription: Subscription;
  close: () => void;
}) {
  const { id: subscriptionId, productId, quantity, currency } = subscription;
  const [wanted, setWanted] = useState<WantedChange>({ productId, quantity, at: 'AUTO' });
  const [review, setReview] = useState<Review>();
  const compute = useComputation<WantedChange, Preview>((change) => ({
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
        {...{ review, currency }}
        onBack={() => setReview(undefined)}
        onConfirm={() => confirm(review.preview)}
      />
    );
  }
  return (
    <WantedStep
      {...{ wanted, currency, close }}
      onReview={async (change) => {
        setWanted(change);
        setReview({ preview: await compute.mutateAsync(change) });
      }}
    />
  );
}

const times = [
  ['AUTO', 'Upgrades now, downgrades at period end'],
  ['NOW', 'Now'],
  ['PERIOD_END', 'At period end'],
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
          onSubmit={async (values) => {
            try {
              await onReview(wantedChange(values));
            } catch (error) {
              throw withoutNesting(error);
            }
          }}
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
        </Form>
      )}
    </Answer>
  );
}

function ReviewStep({
  review: { preview, stale },
  currency,
  onBack,
  onConfirm,
}: {
  review: Review;
  currency: string;
  onBack: () => void;
  onConfirm: () => Promise<void>;
}) {
  const { invoice, nextInvoice } = preview;
  const next = nextTitle(preview);
  return (
    <Form
      submit={confirmLabel(preview, currency)}
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
