import { moneyText, wordsText } from '../../parts/text';
import { type Invoice, invoiceName, type InvoicePayment, reasonText } from '../invoices/invoice';
import type { Subscription } from './subscription';

type SpanState = 'scheduled' | 'trial' | 'active' | 'past due' | 'canceled';

/** How long a subscription was in a state, [from, to). */
interface StateSpan {
  readonly state: SpanState;
  readonly from: string;
  readonly to: string;
}

/** An invoice, at the time when it was made. */
interface InvoiceMark {
  readonly at: string;
  readonly invoiceId: string;
  readonly status: Invoice['status'];
  readonly text: string;
}

/** An attempt to collect an invoice. */
interface AttemptMark {
  readonly at: string;
  readonly invoiceId: string;
  readonly hasFailed: boolean;
  readonly text: string;
}

/** The life of a subscription as it is drawn. */
export interface Timeline {
  readonly from: string;
  readonly to: string;
  readonly now: string;
  readonly spans: readonly StateSpan[];
  readonly invoices: readonly InvoiceMark[];
  readonly attempts: readonly AttemptMark[];
}

type Lived = Pick<
  Subscription,
  | 'status'
  | 'createdAt'
  | 'startAt'
  | 'trialStart'
  | 'trialEnd'
  | 'endedAt'
  | 'nextInvoiceAt'
  | 'cancelAtPeriodEnd'
  | 'currentPeriodEnd'
>;

/** Stretches of time in milliseconds, [from, to). */
type Stretch = readonly [number, number];

/** What is known beside the invoices. */
interface Known {
  /** How far what is not settled reaches. */
  readonly until: number;
  readonly now: number;
  /** Whether nothing troubles any more. */
  readonly isOver: boolean;
}

// What came after the end tells little: it gets this part of the life before it.
const afterlife = 0.15;

/** What a subscription went through, from its own fields, its invoices and what was tried to collect them. */
export function timelineOf(
  subscription: Lived,
  invoices: readonly Invoice[],
  now: string,
): Timeline {
  const from = Math.min(time(subscription.createdAt), time(subscription.startAt));
  const to = lastInstant(subscription, { from, now: time(now) });
  const spans = spansOf(subscription, invoices, { from, to, now: time(now) });
  return {
    from: isoOf(from),
    to: isoOf(to),
    now,
    spans: spans.map(([state, [begin, end]]) => ({ state, from: isoOf(begin), to: isoOf(end) })),
    invoices: invoices.map(toInvoiceMark).sort(byTime),
    attempts: invoices
      .flatMap((invoice) => invoice.payments.map((payment) => toAttemptMark(payment, invoice)))
      .sort(byTime),
  };
}

/** Where an instant stands on the drawing, in percent from the left. */
export function placeOf(at: string, { from, to }: Pick<Timeline, 'from' | 'to'>): number {
  const part = (time(at) - time(from)) / Math.max(1, time(to) - time(from));
  return Math.min(100, Math.max(0, part * 100));
}

/** Everything that happened, in words, the newest first. */
export function historyOf({ spans, invoices, attempts, now }: Timeline): readonly {
  readonly at: string;
  readonly text: string;
  readonly invoiceId?: string;
}[] {
  const begun = spans.map(({ state, from }) => ({ at: from, text: beginText[state] }));
  const happened = [...begun, ...invoices, ...attempts]
    .filter(({ at }) => time(at) <= time(now))
    .map(({ at, text, ...mark }) => ({
      at,
      text,
      ...('invoiceId' in mark && { invoiceId: mark.invoiceId }),
    }));
  return happened.sort(byTime).reverse();
}

const beginText: Readonly<Record<SpanState, string>> = {
  scheduled: 'Was set up to begin later',
  trial: 'The trial began',
  active: 'Became active',
  'past due': 'Became past due',
  canceled: 'Ended',
};

function lastInstant(
  { endedAt, nextInvoiceAt, cancelAtPeriodEnd, currentPeriodEnd }: Lived,
  { from, now }: { from: number; now: number },
): number {
  if (endedAt !== null) {
    const end = time(endedAt);
    return Math.max(end, Math.min(now, end + Math.max(1, (end - from) * afterlife)));
  }
  const ahead = cancelAtPeriodEnd ? currentPeriodEnd : nextInvoiceAt;
  return Math.max(now, ahead === null ? now : time(ahead));
}

function spansOf(
  subscription: Lived,
  invoices: readonly Invoice[],
  { from, to, now }: { from: number; to: number; now: number },
): readonly (readonly [SpanState, Stretch])[] {
  const { startAt, trialStart, trialEnd, endedAt } = subscription;
  const end = endedAt === null ? to : time(endedAt);
  const begin = Math.min(end, time(trialStart ?? startAt));
  const billed = Math.min(end, trialEnd === null ? begin : time(trialEnd));
  const isOver = subscription.status !== 'PAST_DUE';
  const troubles = troublesOf(invoices, { until: end, now, isOver });
  const spans: (readonly [SpanState, Stretch])[] = [
    ['scheduled', [from, begin]],
    ['trial', [begin, billed]],
    ...activeSpans([billed, end], troubles),
    ['canceled', [end, endedAt === null ? end : to]],
  ];
  return spans.filter(([, [spanFrom, spanTo]]) => spanTo > spanFrom);
}

/** Active, but for the stretches in which it was past due. */
function activeSpans(
  [from, to]: Stretch,
  troubles: readonly Stretch[],
): readonly (readonly [SpanState, Stretch])[] {
  const inside = troubles
    .map(([begin, end]): Stretch => [Math.max(from, begin), Math.min(to, end)])
    .filter(([begin, end]) => end > begin);
  const spans: (readonly [SpanState, Stretch])[] = [];
  let reached = from;
  for (const trouble of inside) {
    spans.push(['active', [reached, trouble[0]]], ['past due', trouble]);
    [, reached] = trouble;
  }
  return [...spans, ['active', [reached, to]]];
}

/** When at least one invoice was failed or overdue, ascending and apart. */
function troublesOf(invoices: readonly Invoice[], known: Known): readonly Stretch[] {
  const stretches = invoices
    .map((invoice) => troubleOf(invoice, known))
    .filter((stretch) => stretch !== undefined)
    .sort(([a], [b]) => a - b);
  const apart: Stretch[] = [];
  for (const [from, to] of stretches) {
    const last = apart.at(-1);
    if (last === undefined || from > last[1]) apart.push([from, to]);
    else apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return apart;
}

/** From the first failure, or from when it was due, until it was settled. */
function troubleOf(invoice: Invoice, { until, now, isOver }: Known): Stretch | undefined {
  const from = troubleFrom(invoice);
  if (from === undefined || from > now) return undefined;
  if (invoice.paidAt !== null) return [from, time(invoice.paidAt)];
  if (invoice.status === 'VOID') return [from, time(invoice.updatedAt)];
  // What is still open troubles a subscription that is past due; of any other it was left behind.
  if (invoice.status === 'OPEN' && isOver) return [from, time(invoice.updatedAt)];
  return [from, until];
}

function troubleFrom(invoice: Invoice): number | undefined {
  const { collectionMethod, dueDate, payments, billingReason } = invoice;
  if (billingReason === 'CHECKOUT') return undefined;
  if (collectionMethod === 'SEND_INVOICE') return dueDate === null ? undefined : time(dueDate);
  const failed = payments.find(({ status }) => status === 'FAILED');
  return failed === undefined ? undefined : time(failed.createdAt);
}

function toInvoiceMark(invoice: Invoice): InvoiceMark {
  const { createdAt: at, id: invoiceId, status, total, currency } = invoice;
  const text = `${invoiceName(invoice)} of ${moneyText(total, currency)} was made, it is ${wordsText(status)}`;
  return { at, invoiceId, status, text };
}

function toAttemptMark(payment: InvoicePayment, invoice: Invoice): AttemptMark {
  const { createdAt: at, status, amount, currency, failureCode } = payment;
  const what = `${moneyText(amount, currency)} of ${invoiceName(invoice)}`;
  const hasFailed = status === 'FAILED';
  return { at, invoiceId: invoice.id, hasFailed, text: outcomeText(what, status, failureCode) };
}

function outcomeText(what: string, status: string, failureCode: string | null): string {
  if (status === 'FAILED') return `Charging ${what} failed: ${reasonText(failureCode)}`;
  return status === 'SUCCEEDED' ? `${what} was paid` : `Charging ${what} is under way`;
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return time(a.at) - time(b.at);
}

function time(text: string): number {
  return Date.parse(text);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
