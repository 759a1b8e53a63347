import type { toJsonSubscriptionChange } from '@billing/proto/json/subscription-change';
import type { FormValues } from '../../parts/form/form-values';
import { isTime, chosenTime } from '../../parts/form/when';
import { labelText, moneyText } from '../../parts/text/text';
import { fromTimeField } from '../../parts/text/time-field';
import { dayText, utcText } from '../../parts/text/time-text';
import { reasonText } from '../../resources/invoice/invoice';
import { priceText } from '../../resources/product';
import { wantedItems, type WantedItems } from '../../resources/purchase/items';
import { type AskedTime, type Preview, timeTextOf } from '../../resources/purchase/preview';
import type { Subscription } from '../../resources/subscription';

export type SubscriptionChange = ReturnType<typeof toJsonSubscriptionChange>;
type Item = SubscriptionChange['to']['items'][number];

/** A change as the form asks for it: the only item, or the whole list. */
export type WantedChange = WantedTerms & WantedItems;

interface WantedTerms {
  /** AUTO, NOW, PERIOD_END, or an instant. */
  readonly at: string;
  readonly proration: string;
  /** Absent: now. */
  readonly collect?: 'NEXT_INVOICE';
  /** Null: none. Absent: the discount of the subscription stays. */
  readonly discountId?: string | null;
}

/**
 * Change that a form asks for. The discount is named only where it is not the present one. Throws
 * if an item has no product.
 */
export function wantedChange(
  values: Pick<FormValues, 'text' | 'optional' | 'has'>,
  present: Pick<Subscription, 'discountId'>,
): WantedChange {
  const discountId = values.optional('discountId') ?? null;
  const charge = values.text('proration');
  const isPutOff = charge === 'NEXT_INVOICE';
  return {
    ...wantedItems(values),
    at: chosenTime(values),
    proration: isPutOff ? 'PRORATE' : charge,
    ...(isPutOff && { collect: 'NEXT_INVOICE' }),
    ...(discountId !== present.discountId && { discountId }),
  };
}

/** A pause as the form asks for it. */
export interface WantedPause {
  readonly kind: 'PAUSE';
  readonly at: string;
  readonly proration: string;
  readonly resumeAt?: string;
}

/** Pause that a form asks for; without a time it lasts until it is ended. */
export function wantedPause(values: Pick<FormValues, 'text' | 'optional'>): WantedPause {
  const resumeAt = fromTimeField(values.optional('resumeAt'));
  return {
    kind: 'PAUSE',
    at: chosenTime(values),
    proration: values.text('proration'),
    ...(resumeAt !== undefined && { resumeAt }),
  };
}

const beginsTexts: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'The change takes effect',
  PAUSE: 'The pause begins',
  RESUME: 'The subscription resumes',
};

/** Time at which a change takes effect, in words. */
export function effectText(
  { at, effectiveAt }: Pick<Preview, 'at' | 'effectiveAt'>,
  wanted: AskedTime,
): string {
  const { kind = 'UPDATE', at: asked = '', resumeAt } = wanted;
  const begins = beginsTexts[kind];
  const ends = kind === 'PAUSE' ? ` ${pauseEndText(resumeAt)}` : '';
  if (at === effectiveAt) {
    const why = isTime(asked) ? ', because no period is running' : '';
    return `${begins} now${why}.${ends}`;
  }
  const why = isTime(asked) ? `, the first period start at or after ${utcText(asked)}` : '';
  const when = `${timeTextOf(wanted)(effectiveAt)}${why}`;
  return `${begins} on ${when}. It can be taken back until then.${ends}`;
}

function pauseEndText(resumeAt: string | undefined): string {
  if (resumeAt === undefined) return 'It lasts until you resume the subscription.';
  return `It ends on ${utcText(resumeAt)}.`;
}

/** Time at which a cancellation takes effect, in words. */
export function endText({
  at,
  effectiveAt,
  usageInvoice,
}: Pick<Preview, 'at' | 'effectiveAt' | 'usageInvoice'>): string {
  if (at !== effectiveAt) {
    return `The subscription ends on ${dayText(effectiveAt)}. The cancellation can be undone until then.`;
  }
  const ends = 'The subscription ends now, which can’t be undone.';
  const voided = 'Unpaid invoices of this period are voided.';
  return usageInvoice === null
    ? `${ends} ${voided}`
    : `${ends} ${voided} ${lastInvoiceText(usageInvoice)}`;
}

function lastInvoiceText({ total, currency, estimated }: NonNullable<Preview['usageInvoice']>) {
  const usage = estimated ? ' includes usage so far and' : '';
  return `The last invoice${usage} comes to ${moneyText(total, currency)}.`;
}

/** Label of the button that confirms a change. */
export function confirmLabel(
  { dueNow, at, effectiveAt }: Preview,
  { currency, kind }: { readonly currency: string; readonly kind: SubscriptionChange['kind'] },
): string {
  const word = confirmWords[kind];
  if (dueNow > 0) return `Charge ${moneyText(dueNow, currency)} and ${word}`;
  return at === effectiveAt ? `${labelText(word)} now` : `Schedule ${word}`;
}

const confirmWords: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'change',
  PAUSE: 'pause',
  RESUME: 'resume',
};

const scheduledText: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'Plan changes',
  PAUSE: 'Subscription pauses',
  RESUME: 'Subscription resumes',
};

const appliedText: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'Plan changed',
  PAUSE: 'Subscription paused',
  RESUME: 'Subscription resumed',
};

/** Message after a change was accepted; undefined if its payment failed. */
export function outcomeText(
  change: Pick<SubscriptionChange, 'kind' | 'status' | 'at' | 'effectiveAt' | 'resumeAt'>,
): string | undefined {
  const { kind, status, effectiveAt } = change;
  switch (status) {
    case 'PENDING':
      return `${scheduledText[kind]} on ${timeTextOf(change)(effectiveAt)}`;
    case 'PAYING':
      return 'The payment of the change is in progress';
    case 'APPLIED':
      return appliedText[kind];
    case 'FAILED':
    case 'CANCELED':
      return undefined;
  }
}

/** Reason why a change has failed: “card declined”. */
export function failureText({ failure }: Pick<SubscriptionChange, 'failure'>): string {
  return reasonText(failure?.code ?? null);
}

/** Price and quantity of items: “3 × $19.00 / unit / month”. */
export function itemsText(items: readonly Item[]): string {
  return items
    .map(({ price, priceId, quantity }) => {
      if (price === null) return priceId;
      const text = priceText(price);
      return price.type === 'FLAT' ? text : `${String(quantity)} × ${text}`;
    })
    .join(', ');
}
