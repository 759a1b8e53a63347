import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonPreview } from '@billing/proto/json/change/preview';
import type { toJsonSubscriptionChange } from '@billing/proto/json/change/subscription-change';
import { ApiProblem, fieldsProblem } from '../../api/problem';
import type { FormValues } from '../../parts/form/form-values';
import { isTime, chosenTime } from '../../parts/form/when';
import { typedCount } from '../../parts/text/amount';
import { labelText, moneyText } from '../../parts/text/text';
import { fromTimeField } from '../../parts/text/time-field';
import { dayText, utcText } from '../../parts/text/time-text';
import { reasonText } from '../../resources/invoice/invoice';
import { priceText } from '../../resources/product';
import type { Subscription } from '../../resources/subscription';

export type Preview = ReturnType<typeof toJsonPreview>;
export type SubscriptionChange = ReturnType<typeof toJsonSubscriptionChange>;
type Item = SubscriptionChange['to']['items'][number];
type CreditNote = Preview['creditNotes'][number];
type PreviewInvoice = NonNullable<Preview['invoice']>;

/** An item as the form asks for it. */
export interface WantedItem {
  readonly productId: string;
  /** A text that is no number stays as typed: the server names the problem. */
  readonly quantity: number | string;
}

/** A change as the form asks for it: the only item, or the whole list. */
export type WantedChange = WantedTerms & (WantedItem | { readonly items: readonly WantedItem[] });

interface WantedTerms {
  /** AUTO, NOW, PERIOD_END, or an instant. */
  readonly at: string;
  readonly proration: string;
  /** Absent: now. */
  readonly collect?: 'NEXT_INVOICE';
  /** Null: none. Absent: the discount of the subscription stays. */
  readonly discountId?: string | null;
}

/** Name of a field of one of several items. */
export function itemField(index: number, field: keyof WantedItem): string {
  return `items.${String(index)}.${field}`;
}

/** Maximum number of items of a subscription. */
export const itemsMax = 20;

/** All items of a wanted change. */
export function itemsOf(wanted: WantedChange): readonly WantedItem[] {
  return 'items' in wanted ? wanted.items : [wanted];
}

/**
 * Change that a form asks for; an empty quantity is 1. The discount is named only where it is not
 * the present one. Throws if an item has no product.
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

function wantedItems(
  values: Pick<FormValues, 'text' | 'optional' | 'has'>,
): WantedItem | { readonly items: readonly WantedItem[] } {
  const itemAt = (productId: string, quantity: string): WantedItem => ({
    productId: values.text(productId),
    quantity: typedCount(values.optional(quantity)) ?? 1,
  });
  const items: WantedItem[] = [];
  for (let at = 0; values.has(itemField(at, 'productId')); at += 1) {
    items.push(itemAt(itemField(at, 'productId'), itemField(at, 'quantity')));
  }
  if (items.length === 0) return itemAt('productId', 'quantity');
  const missing = [...items.keys()].filter((at) => items[at]?.productId === '');
  if (missing.length === 0) return { items };
  throw fieldsProblem(
    Object.fromEntries(missing.map((at) => [itemField(at, 'productId'), ['Required']])),
  );
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

/** Row of the sums of an invoice. */
export interface SumRow {
  readonly name: string;
  readonly text: string;
  readonly isTotal: boolean;
}

/** Lines of an invoice with its discounts, tax and total. */
export function sumRows(invoice: PreviewInvoice): readonly SumRow[] {
  const { lineItems, discounts, subtotal, discountAmount, tax, total, balanceApplied } = invoice;
  const row = (name: string, amount: number, isTotal = false): SumRow => ({
    name,
    text: moneyText(amount, invoice.currency),
    isTotal,
  });
  const isIncluded = total === subtotal - discountAmount;
  return [
    ...lineItems.map((line) => row(lineText(line), line.amount)),
    ...discounts.map(({ name, amount }) => row(name, -amount)),
    ...(tax === 0 ? [] : [row(isIncluded ? 'Tax (included)' : 'Tax', tax)]),
    row('Total', total, true),
    ...(balanceApplied === 0 ? [] : [row('Paid from the balance', -balanceApplied)]),
  ];
}

function lineText({ description, quantity }: PreviewInvoice['lineItems'][number]): string {
  return quantity === '1' ? description : `${description}, ${quantityText(quantity)} units`;
}

/** Amount that a change costs now, in words. */
export function dueText(preview: Preview, currency: string): string {
  const money = (amount: number) => moneyText(amount, currency);
  const credited = (settledBy: CreditNote['settledBy'], where: string) => {
    const sum = creditSum(preview.creditNotes.filter((note) => note.settledBy === settledBy));
    return sum === 0 ? [] : [`${money(sum)} is ${where}.`];
  };
  return [
    chargeText(preview, money),
    ...putOffText(preview, money),
    ...credited('AMOUNT_DUE', 'taken off open invoices'),
    ...credited('BALANCE', 'credited to the balance'),
  ].join(' ');
}

function putOffText({ linesPutOff }: Preview, money: (amount: number) => string): string[] {
  const sum = linesPutOff.reduce((total, line) => total + line.amount - line.discountAmount, 0);
  if (sum === 0) return [];
  const place = sum > 0 ? 'added to' : 'taken off';
  return [`${money(Math.abs(sum))} is ${place} the next invoice.`];
}

function creditSum(notes: readonly CreditNote[]): number {
  return notes.reduce((sum, { amount }) => sum + amount, 0);
}

function chargeText({ dueNow, invoice }: Preview, money: (amount: number) => string): string {
  if (dueNow > 0) return `${money(dueNow)} is charged today.`;
  if (invoice === null) return 'Nothing is due today.';
  if (invoice.amountDue > 0) return `An invoice of ${money(invoice.amountDue)} is sent today.`;
  return 'Nothing is charged today: the balance pays the invoice.';
}

const beginsTexts: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'The change takes effect',
  PAUSE: 'The pause begins',
  RESUME: 'The subscription resumes',
};

/** Fields of a wanted change that the texts of its times depend on. */
export interface AskedTime {
  readonly kind?: SubscriptionChange['kind'];
  readonly at?: string;
  readonly resumeAt?: string;
}

/** Times of a change as they were asked for. */
interface AskedTimes {
  readonly at?: string;
  readonly resumeAt?: string | null;
}

/** True if a time of a change was typed: all its times are then shown in UTC, like typed ones. */
export function isInUtc({ at = '', resumeAt = null }: AskedTimes): boolean {
  return isTime(at) || resumeAt !== null;
}

/** Format of all times of one change: UTC if one of them was typed, else the reader's days. */
export function timeTextOf(asked: AskedTimes): (time: string) => string {
  return isInUtc(asked) ? utcText : dayText;
}

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

/** Amounts a month before and after a change that waits; undefined if they are equal. */
export function monthlyText(
  { kind, at, effectiveAt, monthlyAmountBefore, monthlyAmountAfter }: Preview,
  currency: string,
): string | undefined {
  const isShown = kind === 'CHANGE' && at !== effectiveAt;
  if (!isShown || monthlyAmountBefore === monthlyAmountAfter) return undefined;
  const [before, after] = [monthlyAmountBefore, monthlyAmountAfter];
  return `Amount a month: ${moneyText(before, currency)} → ${moneyText(after, currency)}.`;
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

/** Heading of the next invoice; undefined if none follows. */
export function nextTitle(
  { nextInvoice }: Pick<Preview, 'nextInvoice'>,
  wanted: AskedTime = {},
): string | undefined {
  if (nextInvoice === null || nextInvoice.periodStart === null) return undefined;
  const usage = nextInvoice.estimated ? ', with usage so far' : '';
  return `Next invoice on ${timeTextOf(wanted)(nextInvoice.periodStart)}${usage}`;
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

const staleTexts: Readonly<Record<string, string>> = {
  time: 'the preview is too old',
  subscription: 'the subscription has changed',
  price: 'the price is no longer sold',
  discount: 'the discount has changed',
  customer: 'the billing settings of the customer have changed',
  balance: 'the balance of the customer is lower',
  invoice: 'an invoice of this period has changed',
  tax: 'the tax has changed',
};

/** Reasons why a preview was refused, in words; undefined for another failure. */
export function staleText(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem) || error.details.code !== 'preview_stale') return undefined;
  const [, names = ''] = error.message.split(': ');
  const reasons = names.split(', ').map((name) => staleTexts[name] ?? name);
  return `The price has changed since you looked: ${reasons.join(', ')}.`;
}

/** Problems of the field `change` of a preview, as those of its parts. */
export function withoutNesting(error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const { change, ...others } = error.details.fields;
  if (change === undefined) return error;
  const parts = change.map((message) => {
    const [, field = 'change', text = message] = /^([\w.]+): (.*)$/s.exec(message) ?? [];
    return [field, [text]] as const;
  });
  const fields = { ...others, ...Object.fromEntries(parts) };
  return new ApiProblem(error.message, { ...error.details, fields });
}

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
