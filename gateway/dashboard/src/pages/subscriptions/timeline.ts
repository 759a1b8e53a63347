import { moneyText, wordsText } from '../../parts/text/text';
import {
  type Invoice,
  invoiceName,
  type InvoicePayment,
  reasonText,
} from '../../resources/invoice/invoice';
import { dayText } from '../../parts/text/time-text';
import type { Subscription } from '../../resources/subscription';
import { failureText, itemsText, type SubscriptionChange } from './plan-change';

type SpanState = 'scheduled' | 'trial' | 'active' | 'paused' | 'past due' | 'canceled';

/** Span of a state, [from, to). */
interface StateSpan {
  readonly state: SpanState;
  readonly from: string;
  readonly to: string;
}

/** An invoice, at the time of its creation. */
interface InvoiceMark {
  readonly at: string;
  readonly invoiceId: string;
  readonly status: Invoice['status'];
  readonly text: string;
}

/** A payment attempt. */
interface AttemptMark {
  readonly at: string;
  readonly invoiceId: string;
  readonly hasFailed: boolean;
  readonly text: string;
}

/** A step of a change of product or quantity. */
interface ChangeMark {
  readonly at: string;
  readonly changeId: string;
  /** True if product or quantity changed then. */
  readonly isApplied: boolean;
  readonly text: string;
  readonly invoiceId?: string;
}

/** Timeline of a subscription. */
export interface Timeline {
  readonly from: string;
  readonly to: string;
  readonly now: string;
  readonly spans: readonly StateSpan[];
  readonly invoices: readonly InvoiceMark[];
  readonly attempts: readonly AttemptMark[];
  readonly changes: readonly ChangeMark[];
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

/** Time span in milliseconds, [from, to). */
type Span = readonly [number, number];

/** Facts about the subscription that past-due spans depend on. */
interface Known {
  /** End of the span of an unsettled invoice. */
  readonly until: number;
  readonly now: number;
  /** True if the subscription is no longer past due. */
  readonly isOver: boolean;
}

// Time after the end is of little interest, so it gets this share of the time before it.
const afterlife = 0.15;

/** Timeline of a subscription from its own fields, its invoices and payments, and its changes. */
export function timelineOf(
  subscription: Lived,
  invoices: readonly Invoice[],
  changes: readonly SubscriptionChange[],
  now: string,
): Timeline {
  const from = Math.min(time(subscription.createdAt), time(subscription.startAt));
  const to = lastInstant(subscription, { from, now: time(now) });
  const failed = changes.filter(({ status }) => status === 'FAILED');
  // The invoice of a failed change is void, and was never overdue.
  const owed = invoices.filter(({ id }) => failed.every(({ invoiceId }) => invoiceId !== id));
  const paused = pausesOf(changes, to);
  const spans = spansOf(subscription, owed, { from, to, now: time(now), paused });
  return {
    from: isoOf(from),
    to: isoOf(to),
    now,
    spans: spans.map(([state, [begin, end]]) => ({ state, from: isoOf(begin), to: isoOf(end) })),
    invoices: invoices.map(toInvoiceMark).sort(byTime),
    attempts: invoices
      .flatMap((invoice) => invoice.payments.map((payment) => toAttemptMark(payment, invoice)))
      .sort(byTime),
    changes: changes.flatMap(toChangeMarks).sort(byTime),
  };
}

/** Position of an instant on the drawing, in percent from the left. */
export function placeOf(at: string, { from, to }: Pick<Timeline, 'from' | 'to'>): number {
  const part = (time(at) - time(from)) / Math.max(1, time(to) - time(from));
  return Math.min(100, Math.max(0, part * 100));
}

/** Past events as text, newest first. */
export function historyOf({ spans, invoices, attempts, changes, now }: Timeline): readonly {
  readonly at: string;
  readonly text: string;
  readonly invoiceId?: string;
}[] {
  const begun = spans.map(({ state, from }) => ({ at: from, text: beginText[state] }));
  const happened = [...begun, ...invoices, ...attempts, ...changes]
    .filter(({ at }) => time(at) <= time(now))
    .map(({ at, text, ...mark }) => ({
      at,
      text,
      ...('invoiceId' in mark && { invoiceId: mark.invoiceId }),
    }));
  return happened.sort(byTime).reverse();
}

const beginText: Readonly<Record<SpanState, string>> = {
  scheduled: 'Scheduled',
  trial: 'Trial started',
  active: 'Became active',
  paused: 'Paused',
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
  { from, to, now, paused }: { from: number; to: number; now: number; paused: readonly Span[] },
): readonly (readonly [SpanState, Span])[] {
  const { startAt, trialStart, trialEnd, endedAt } = subscription;
  const end = endedAt === null ? to : time(endedAt);
  const begin = Math.min(end, time(trialStart ?? startAt));
  const billed = Math.min(end, trialEnd === null ? begin : time(trialEnd));
  const isOver = subscription.status !== 'PAST_DUE';
  const pastDue = pastDueSpansOf(invoices, { until: end, now, isOver });
  const spans: (readonly [SpanState, Span])[] = [
    ['scheduled', [from, begin]],
    ['trial', [begin, billed]],
    ...activeSpans([billed, end], pastDue).flatMap(([state, span]) =>
      state === 'active' ? withPauses(span, paused) : ([[state, span]] as const),
    ),
    ['canceled', [end, endedAt === null ? end : to]],
  ];
  return spans.filter(([, [spanFrom, spanTo]]) => spanTo > spanFrom);
}

/** Active spans, interrupted by past-due spans. */
function activeSpans(
  [from, to]: Span,
  pastDue: readonly Span[],
): readonly (readonly [SpanState, Span])[] {
  const inside = pastDue
    .map(([begin, end]): Span => [Math.max(from, begin), Math.min(to, end)])
    .filter(([begin, end]) => end > begin);
  const spans: (readonly [SpanState, Span])[] = [];
  let reached = from;
  for (const span of inside) {
    spans.push(['active', [reached, span[0]]], ['past due', span]);
    [, reached] = span;
  }
  return [...spans, ['active', [reached, to]]];
}

/** Pauses, oldest first; the last one may still run. */
function pausesOf(changes: readonly SubscriptionChange[], to: number): readonly Span[] {
  const steps = changes
    .filter(({ kind, status }) => status === 'APPLIED' && kind !== 'UPDATE')
    .map(({ kind, effectiveAt }) => ({ kind, at: time(effectiveAt) }))
    .sort((a, b) => a.at - b.at);
  const pauses: Span[] = [];
  for (const { kind, at } of steps) {
    const last = pauses.at(-1);
    const runs = last !== undefined && last[1] === Infinity;
    if (kind === 'PAUSE' && !runs) pauses.push([at, Infinity]);
    if (kind === 'RESUME' && runs) pauses[pauses.length - 1] = [last[0], at];
  }
  return pauses.map(([begin, end]): Span => [begin, Math.min(end, to)]);
}

function withPauses(
  [from, to]: Span,
  pauses: readonly Span[],
): readonly (readonly [SpanState, Span])[] {
  const spans: (readonly [SpanState, Span])[] = [];
  let reached = from;
  for (const [begin, end] of pauses) {
    const pause: Span = [Math.max(reached, begin), Math.min(to, end)];
    if (pause[1] <= pause[0]) continue;
    spans.push(['active', [reached, pause[0]]], ['paused', pause]);
    [, reached] = pause;
  }
  return [...spans, ['active', [reached, to]]];
}

/** Disjoint spans with at least one failed or overdue invoice, in ascending order. */
function pastDueSpansOf(invoices: readonly Invoice[], known: Known): readonly Span[] {
  const found = invoices
    .map((invoice) => pastDueSpanOf(invoice, known))
    .filter((span) => span !== undefined)
    .sort(([a], [b]) => a - b);
  const apart: Span[] = [];
  for (const [from, to] of found) {
    const last = apart.at(-1);
    if (last === undefined || from > last[1]) apart.push([from, to]);
    else apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return apart;
}

/** Span from the first failure, or from the due date, until the invoice was settled. */
function pastDueSpanOf(invoice: Invoice, { until, now, isOver }: Known): Span | undefined {
  const from = pastDueFrom(invoice);
  if (from === undefined || from > now) return undefined;
  if (invoice.paidAt !== null) return [from, time(invoice.paidAt)];
  if (invoice.status === 'VOID') return [from, time(invoice.updatedAt)];
  // An open invoice counts until now only if the subscription is past due.
  if (invoice.status === 'OPEN' && isOver) return [from, time(invoice.updatedAt)];
  return [from, until];
}

function pastDueFrom(invoice: Invoice): number | undefined {
  const { collectionMethod, dueDate, payments, billingReason } = invoice;
  if (billingReason === 'CHECKOUT') return undefined;
  if (collectionMethod === 'SEND_INVOICE') return dueDate === null ? undefined : time(dueDate);
  const failed = payments.find(({ status }) => status === 'FAILED');
  return failed === undefined ? undefined : time(failed.createdAt);
}

function toInvoiceMark(invoice: Invoice): InvoiceMark {
  const { createdAt: at, id: invoiceId, status, total, currency } = invoice;
  const text = `${invoiceName(invoice)} created: ${moneyText(total, currency)}, ${wordsText(status)}`;
  return { at, invoiceId, status, text };
}

function toAttemptMark(payment: InvoicePayment, invoice: Invoice): AttemptMark {
  const { createdAt: at, status, amount, currency, failureCode } = payment;
  const what = `${moneyText(amount, currency)} for ${invoiceName(invoice)}`;
  const hasFailed = status === 'FAILED';
  return { at, invoiceId: invoice.id, hasFailed, text: outcomeText(what, status, failureCode) };
}

/** Steps of a change that have happened: asked for, then in force, failed, or canceled. */
function toChangeMarks(change: SubscriptionChange): readonly ChangeMark[] {
  const { id: changeId, at, createdAt, updatedAt, effectiveAt, invoiceId, replacedBy } = change;
  const mark = (when: string, text: string, isApplied = false): ChangeMark => ({
    at: when,
    changeId,
    isApplied,
    text,
    ...(invoiceId !== null && { invoiceId }),
  });
  const { what, done } = changeTexts(change);
  const asked =
    at === 'NOW' ? [] : [mark(createdAt, `${what} scheduled for ${dayText(effectiveAt)}`)];
  switch (change.status) {
    case 'PENDING':
      return asked;
    case 'PAYING':
      return [mark(createdAt, `${what}: payment in progress`)];
    case 'APPLIED':
      return [...asked, mark(effectiveAt, done, true)];
    case 'FAILED':
      return [...asked, mark(updatedAt, `${what} failed: ${failureText(change)}`)];
    case 'CANCELED': {
      const how = replacedBy === null ? 'canceled' : 'replaced by another change';
      return [...asked, mark(updatedAt, `${what} ${how}`)];
    }
  }
}

function changeTexts({ kind, from, to }: Pick<SubscriptionChange, 'kind' | 'from' | 'to'>): {
  readonly what: string;
  readonly done: string;
} {
  const [before, then] = [itemsText(from.items), itemsText(to.items)];
  switch (kind) {
    case 'UPDATE':
      if (before === then && from.discountId !== to.discountId) return discountTexts(from, to);
      return { what: `Change to ${then}`, done: `Changed from ${before} to ${then}` };
    case 'PAUSE':
      return { what: 'Pause', done: 'Pause began' };
    case 'RESUME':
      return { what: 'Resume', done: 'Resumed' };
  }
}

/** A change of the discount alone. */
function discountTexts(
  from: Pick<SubscriptionChange['from'], 'discountId'>,
  to: Pick<SubscriptionChange['to'], 'discountId'>,
): ReturnType<typeof changeTexts> {
  if (to.discountId === null) return { what: 'Removal of discount', done: 'Discount removed' };
  return from.discountId === null
    ? { what: 'Discount', done: 'Discount added' }
    : { what: 'Change of discount', done: 'Discount changed' };
}

function outcomeText(what: string, status: string, failureCode: string | null): string {
  if (status === 'FAILED') return `Charge of ${what} failed: ${reasonText(failureCode)}`;
  return status === 'SUCCEEDED' ? `Payment of ${what} succeeded` : `Payment of ${what} in progress`;
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
