import { only, type Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { claimSlot, lastAttemptNumber, withMethod } from './attempt-slot';
import { withResult } from './collection-result';
import { datesAfter, retryDates } from './dunning';
import { atRest, type Invoice, type InvoiceRecord, type Payment } from './invoice';
import { isUseless, type MethodChoice, nextMethod } from './method-choice';
import { awaitProvider, noProviderCode } from './provider-absence';

/** What decides what follows a failure. */
export interface FailureFacts {
  readonly attempt: Attempt;
  readonly now: Date;
  /** Real time, from which the next attempt of the same retry is claimed. */
  readonly claimedAt: Date;
  /** What the attempts that come by themselves are made with. */
  readonly methods: MethodChoice;
  /** The provider that the next attempt of the same retry is made with; undefined: none is configured. */
  readonly provider: string | undefined;
  /** Days after the first failure at which the attempt is repeated. */
  readonly retryDays: readonly number[];
  /** Somebody else needed the slot: the provider was told to end the challenge, and its payer was not asked. */
  readonly isCancelled?: boolean | undefined;
}

/** Whether something has fallen due that comes by itself. */
export function isDue({ collectAt }: Pick<Invoice, 'collectAt'>, now: Date): boolean {
  return collectAt !== undefined && collectAt <= now;
}

/** Whether what is due can only be done with the slot empty: a charge, or the end. */
export function needsSlot(
  invoice: Invoice,
  { now, ...methods }: MethodChoice & { readonly now: Date },
): boolean {
  if (!isDue(invoice, now) || invoice.collectionMethod === 'SEND_INVOICE') return false;
  return invoice.retriesLeft.length === 0 || !isUseless(invoice.payments, methods);
}

/**
 * The invoice after a failed attempt. Only attempts of the schedule move it: the first failure begins it, the last one ends it with the
 * invoice UNCOLLECTIBLE. Where it rests, because the provider refused its amount, any decline begins it: without dates the subscription
 * would be PAST_DUE without an end. A retry has failed once the customer's other methods have failed, too: the next one takes the slot in the same
 * write, so that no crash comes between two of them. What is sent has no schedule, nor has what its subscription has left behind. A cancelled challenge says nothing of
 * whether the payer pays: no subscription is told.
 */
export function afterFailure(invoice: Invoice, facts: FailureFacts): Transition<InvoiceRecord> {
  const { attempt, methods } = facts;
  // It was given up before, and its payer may try again.
  if (invoice.status === 'UNCOLLECTIBLE') return only(invoice);
  if (invoice.ended === 'WRITTEN_OFF') return giveUp(invoice, facts.now);
  if (facts.isCancelled === true && invoice.session === undefined) return only(invoice);
  const isCharged = invoice.collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isScheduled = attempt.origin === 'COLLECTION' && isCharged && !isLeftToPayer(invoice);
  const next = isScheduled ? nextTry(invoice, facts) : undefined;
  if (next !== undefined) return only(next);
  if (invoice.session === undefined && !isPayersFailure(invoice, attempt)) {
    return isScheduled ? notCharged(invoice, facts) : only(invoice);
  }
  const isMoved = isScheduled || (isCharged && isResting(invoice));
  const moved = isMoved ? moveOn(invoice, facts) : invoice;
  if (moved === undefined) return giveUp(invoice, facts.now);
  const isAwaited = isCharged && !isUseless(moved.payments, methods);
  const nextAttemptAt = isAwaited ? moved.collectAt : undefined;
  return withResult(moved, { outcome: 'FAILED', attempt: attempt.number, nextAttemptAt });
}

/** Passes over a date at which a charge would be useless, or gives up after the last one. Nobody is told but of the end. */
export function passOver(invoice: Invoice, now: Date): Transition<InvoiceRecord> {
  return invoice.retriesLeft.length > 0 ? only(toNextDate(invoice, now)) : giveUp(invoice, now);
}

/** Whether the last date has passed and a charge would have been useless: the scanner is late with the end of dunning. */
export function isGivenUpBefore(
  invoice: Invoice,
  { methods, now }: { readonly methods: MethodChoice; readonly now: Date },
): boolean {
  const { firstFailedAt, collectAt, retriesLeft } = invoice;
  if (firstFailedAt === undefined || collectAt === undefined || retriesLeft.length > 0)
    return false;
  return collectAt < now && isUseless(invoice.payments, methods);
}

/** What is sent has reached its due date unpaid. */
export function passDueDate(invoice: Invoice): Transition<Invoice> {
  return withResult({ ...invoice, collectAt: undefined }, { outcome: 'OVERDUE', attempt: 0 });
}

/** A decision on an invoice, after the due date that has passed before it and that a scanner is late with. */
export function afterDueDate(
  invoice: Invoice,
  now: Date,
  decide: (invoice: Invoice) => Transition<InvoiceRecord>,
): Transition<InvoiceRecord> {
  const { collectionMethod, collectAt } = invoice;
  const isLate = collectionMethod === 'SEND_INVOICE' && collectAt !== undefined && collectAt < now;
  if (!isLate) return decide(invoice);
  const passed = passDueDate(invoice);
  const { state, events, commands } = decide(passed.state);
  return { state, events, commands: [...passed.commands, ...commands] };
}

/** The end of dunning. */
export function giveUp(invoice: Invoice, now: Date): Transition<InvoiceRecord> {
  const uncollectible = {
    ...atRest(invoice),
    status: 'UNCOLLECTIBLE',
    givenUpAt: now,
  } as const;
  return withResult(uncollectible, {
    outcome: 'UNCOLLECTIBLE',
    attempt: lastAttemptNumber(invoice),
  });
}

// Nothing is retried automatically: it belongs to a session, or its subscription has ended.
function isLeftToPayer({ session, ended }: Invoice): boolean {
  return session !== undefined || ended !== undefined;
}

// The provider refused its amount: it is owed, and no date comes. Every other invoice that is charged has one beside an attempt of its payer.
function isResting(invoice: Invoice): boolean {
  const { collectAt, awaitsProviderSince } = invoice;
  return collectAt === undefined && awaitsProviderSince === undefined && !isLeftToPayer(invoice);
}

// Whether any attempt of the same date was refused for its method: else the provider could not take the charge.
function isPayersFailure({ payments }: Invoice, { number, retry }: Attempt): boolean {
  const isOfDate = (payment: Payment) =>
    payment.number === number || (retry !== undefined && payment.retry === retry);
  return payments.some((payment) => isOfDate(payment) && payment.decline !== 'PROVIDER');
}

// No failure of the customer's: the invoice stays owed, and nothing is retried automatically before the reason is gone.
function notCharged(invoice: Invoice, { attempt, now }: FailureFacts): Transition<InvoiceRecord> {
  const { code } = invoice.lastPaymentError ?? {};
  const stopped = code === noProviderCode ? awaitProvider(invoice, now) : atRest(invoice);
  return withResult(stopped, { outcome: 'NOT_CHARGED', attempt: attempt.number });
}

// Only retries try other methods: the first charge of an invoice fails by the method that it is meant for.
function nextTry(invoice: Invoice, facts: FailureFacts) {
  const { attempt, methods, provider, now, claimedAt } = facts;
  const { retry } = attempt;
  if (retry === undefined || retry === 0 || provider === undefined) return undefined;
  const methodId = nextMethod(methods, { payments: invoice.payments, retry })?.methodId;
  if (methodId === undefined) return undefined;
  const claim = { source: attempt.source, methodId, provider, now, claimedAt };
  return claimSlot(invoice, withMethod(claim, methodId), { origin: 'COLLECTION', retry });
}

// Undefined after the last date. A decline after a rest begins the schedule again: the reason for the rest is gone.
function moveOn(invoice: Invoice, { attempt, now, retryDays }: FailureFacts): Invoice | undefined {
  const { firstFailedAt } = invoice;
  const isBegun = firstFailedAt !== undefined && attempt.origin === 'COLLECTION';
  const begun = isBegun
    ? invoice
    : { ...invoice, firstFailedAt: firstFailedAt ?? now, retriesLeft: retryDates(now, retryDays) };
  return begun.retriesLeft.length > 0 ? toNextDate(begun, now) : undefined;
}

function toNextDate(invoice: Invoice, now: Date): Invoice {
  const [collectAt, ...retriesLeft] = datesAfter(now, invoice.retriesLeft);
  return { ...invoice, collectAt, retriesLeft };
}
