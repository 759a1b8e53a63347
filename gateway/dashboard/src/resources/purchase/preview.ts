import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonPreview } from '@billing/proto/json/change/preview';
import { ApiProblem } from '../../api/problem';
import { isTime } from '../../parts/form/when';
import { moneyText } from '../../parts/text/text';
import { dayText, utcText } from '../../parts/text/time-text';

export type Preview = ReturnType<typeof toJsonPreview>;
type CreditNote = Preview['creditNotes'][number];
type PreviewInvoice = NonNullable<Preview['invoice']>;

/** Currency of the invoices of a preview; empty if there are none, and so no amounts. */
export function currencyOf({ invoice, nextInvoice }: Preview): string {
  return (invoice ?? nextInvoice)?.currency ?? '';
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

function chargeText({ kind, dueNow, invoice }: Preview, money: (amount: number) => string): string {
  // A customer without a payment method pays on the page of the invoice.
  if (dueNow > 0) return `${money(dueNow)} is ${kind === 'PURCHASE' ? 'due' : 'charged'} today.`;
  if (invoice === null) return 'Nothing is due today.';
  if (invoice.amountDue > 0) return `An invoice of ${money(invoice.amountDue)} is sent today.`;
  return 'Nothing is charged today: the balance pays the invoice.';
}

/** Fields of a wanted change that the texts of its times depend on. */
export interface AskedTime {
  readonly kind?: 'UPDATE' | 'PAUSE' | 'RESUME';
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

/** The invoice of usage that a change is followed by; undefined: none. */
export function usageText({
  kind,
  usageInvoice,
}: Pick<Preview, 'kind' | 'usageInvoice'>): string | undefined {
  if (kind !== 'CHANGE' || usageInvoice === null) return undefined;
  const { total, currency } = usageInvoice;
  return `Usage so far comes on an invoice of its own: ${moneyText(total, currency)}.`;
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
