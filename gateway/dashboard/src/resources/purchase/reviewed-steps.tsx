import { type ReactNode, useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { useComputation } from '../../api/queries';
import { Notice } from '../../parts/element/notices';
import { EarlierProblem } from '../../parts/form/earlier-problem';
import { Form } from '../../parts/form/form';
import {
  currencyOf,
  dueText,
  monthlyText,
  type Preview,
  staleText,
  type SumRow,
  sumRows,
  usageText,
  withoutNesting,
} from './preview';

/** A preview, and the reason why an earlier one was refused. */
interface Review {
  readonly preview: Preview;
  readonly stale?: string;
}

export type StepForm<Wanted> = (
  wanted: Wanted,
  onReview: (wanted: Wanted) => Promise<void>,
) => ReactNode;

/** Two steps of an action: its form, then the review of its preview, whose token it carries. */
export function ReviewedSteps<Wanted extends object>({
  currency,
  initial,
  close,
  form,
  asked,
  act,
  ...words
}: {
  /** Absent: that of the previewed invoices. */
  currency?: string;
  initial: Wanted;
  close: () => void;
  form: StepForm<Wanted>;
  /** Body of the preview. */
  asked: (wanted: Wanted) => object;
  act: (wanted: Wanted, previewToken: string | null) => Promise<void>;
} & ReviewWords<Wanted>) {
  const [wanted, setWanted] = useState<Wanted>(initial);
  const [review, setReview] = useState<Review>();
  const [refused, setRefused] = useState<ApiProblem>();
  const compute = useComputation<Wanted, Preview>((one) => ({
    method: 'POST',
    path: '/v1/previews',
    body: asked(one),
  }));
  const show = async (one: Wanted, stale?: string) => {
    try {
      const preview = await compute.mutateAsync(one);
      setReview({ preview, ...(stale !== undefined && { stale }) });
      setRefused(undefined);
    } catch (error) {
      const problem = withoutNesting(error);
      // Only the form has the fields to correct.
      if (stale === undefined || !hasFields(problem)) throw problem;
      setRefused(problem);
      setReview(undefined);
    }
  };
  const confirm = async ({ token }: Preview) => {
    try {
      await act(wanted, token);
      close();
    } catch (error) {
      const stale = staleText(error);
      if (stale === undefined) throw error;
      await show(wanted, stale);
    }
  };
  if (review !== undefined) {
    return (
      <ReviewStep
        {...{ review, wanted, ...words }}
        currency={currency ?? currencyOf(review.preview)}
        onBack={() => setReview(undefined)}
        onConfirm={() => confirm(review.preview)}
      />
    );
  }
  const shown = form(wanted, async (one) => {
    setWanted(one);
    await show(one);
  });
  return <EarlierProblem value={refused}>{shown}</EarlierProblem>;
}

/** Words of a review that depend on the action. */
interface ReviewWords<Wanted> {
  /** When the action takes effect. */
  readonly effect: (preview: Preview, wanted: Wanted) => string;
  /** Heading of the next invoice; undefined if none follows. */
  readonly next: (preview: Preview, wanted: Wanted) => string | undefined;
  /** Label of the button that confirms it. */
  readonly submit: (preview: Preview) => string;
  readonly tone?: 'danger';
}

function ReviewStep<Wanted extends object>({
  review: { preview, stale },
  currency,
  wanted,
  effect,
  next,
  submit,
  tone,
  onBack,
  onConfirm,
}: {
  review: Review;
  currency: string;
  wanted: Wanted;
  onBack: () => void;
  onConfirm: () => Promise<void>;
} & ReviewWords<Wanted>) {
  const { invoice, nextInvoice } = preview;
  const nextHeading = next(preview, wanted);
  const monthly = monthlyText(preview, currency);
  const usage = usageText(preview);
  return (
    <Form
      submit={submit(preview)}
      dismiss="Back"
      {...(tone !== undefined && { tone })}
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
          <strong>{dueText(preview, currency)}</strong> {effect(preview, wanted)}
        </p>
        {monthly !== undefined && <p>{monthly}</p>}
        {invoice !== null && <Sums rows={sumRows(invoice)} />}
        {usage !== undefined && <p>{usage}</p>}
      </section>
      {nextInvoice !== null && nextHeading !== undefined && (
        <section className="review">
          <h3>{nextHeading}</h3>
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

function hasFields(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && Object.keys(error.details.fields).length > 0;
}
