import { fieldProblem } from '../../api/problem';
import type { FormValues } from '../../parts/form/form-values';
import { fromTimeField } from '../../parts/text/time-field';
import { dayText, utcText } from '../../parts/text/time-text';
import { wantedItems, type WantedItems } from './items';
import { nextTitle, type Preview } from './preview';

/** A new subscription as the form asks for it; null: not given. */
export type WantedSubscription = WantedItems & {
  readonly customerId: string;
  readonly discountId: string | null;
  readonly startAt: string | null;
  readonly authorizedTransactionId: string | null;
};

/** Choice of a form that pays with an authorized transaction, and has a field for its id. */
export const authorizedChoice = 'AUTHORIZED';

/**
 * Body of `POST /v1/subscriptions` from a form. Throws if an item has no product, or the authorized
 * transaction no id.
 */
export function newSubscription(
  values: Pick<FormValues, 'text' | 'optional' | 'has'>,
  customerId: string,
): WantedSubscription {
  return {
    customerId,
    ...wantedItems(values),
    discountId: values.optional('discountId') ?? null,
    startAt: fromTimeField(values.optional('startAt')) ?? null,
    authorizedTransactionId: typedTransaction(values),
  };
}

function typedTransaction(values: Pick<FormValues, 'text' | 'optional'>): string | null {
  if (values.text('payment') !== authorizedChoice) return null;
  const id = values.optional('authorizedTransactionId');
  if (id === undefined) throw fieldProblem('authorizedTransactionId', 'Required');
  return id;
}

/** Body of the preview of a new subscription. */
export function purchasePreview({
  authorizedTransactionId: _paid,
  ...wanted
}: WantedSubscription): object {
  return { kind: 'PURCHASE', ...wanted };
}

/** Time at which a new subscription starts, and how its first invoice is paid, in words. */
export function startText(
  { at, effectiveAt, dueNow }: Pick<Preview, 'at' | 'effectiveAt' | 'dueNow'>,
  { startAt, authorizedTransactionId }: WantedSubscription,
): string {
  const start =
    startAt === null || at === effectiveAt
      ? 'The subscription starts now.'
      : `The subscription starts on ${utcText(effectiveAt)}.`;
  return dueNow > 0 ? `${start} ${paymentText(authorizedTransactionId)}` : start;
}

function paymentText(authorizedTransactionId: string | null): string {
  return authorizedTransactionId === null
    ? 'The saved payment method is charged. Without one, the customer pays on the invoice page.'
    : 'The authorized transaction is charged.';
}

/** Heading of the next invoice: the first one, if none is made now. */
export function firstOrNextTitle(
  { invoice, nextInvoice }: Pick<Preview, 'invoice' | 'nextInvoice'>,
  { startAt }: WantedSubscription,
): string | undefined {
  if (invoice !== null) return nextTitle({ nextInvoice });
  const { periodStart = null } = nextInvoice ?? {};
  if (periodStart === null) return undefined;
  return `First invoice on ${(startAt === null ? dayText : utcText)(periodStart)}`;
}
