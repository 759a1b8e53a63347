import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { type Attempt, type Claim, type PayerPresence, takeUp, waitForPayer } from './attempt';
import { claimSlot, withMethod } from './attempt-slot';
import { type CollectionNews, withResult } from './collection-result';
import { isRefusedForGood } from './dunning';
import { keptPayments } from './kept-payments';
import { usedMethod, withUse } from './method-use';
import { type MethodChoice, nextMethod, nextRetry } from './method-choice';
import {
  atRest,
  type Invoice,
  type InvoiceRecord,
  isOwed,
  open,
  pay,
  type Payment,
  paymentInProgress,
  totalOf,
  voidInvoice,
} from './invoice';
import { awaitCapture, awaitProvider, withoutProvider } from './provider-absence';
import type { ActionRequired, ChargeSource, FinalOutcome } from './payment-provider';
import {
  afterDueDate,
  afterFailure,
  type FailureFacts,
  giveUp,
  isDue,
  isGivenUpBefore,
  needsSlot,
  passDueDate,
  passOver,
} from './retry-schedule';

/** An invoice that nothing can be charged for is tried once more after this long: the customer may give a card by then. */
const firstCollectionDelayMs = 60 * 60 * 1000;

/**
 * Opens a DRAFT under its number and, in the same write, begins to collect it: nothing due is PAID at once; an invoice to be sent waits
 * for the payer, unless a payment was authorised for it; a usable source claims the slot; without one the first attempt is due an hour
 * later. A session's invoice waits for its payer, also when nothing is due. What is open already stays as it is, so that the repeated step
 * does not open or claim twice.
 */
export function openAndCollect(
  record: InvoiceRecord,
  { number, ...claim }: Claim & { readonly number: string | undefined },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT') return unchanged(record);
  const { authorizedTransactionId } = record;
  const invoice = open(record, { number, now: claim.now });
  if (invoice.session !== undefined) return only(invoice);
  if (totalOf(invoice) === 0n) {
    return withResult(pay(invoice, claim.now), { outcome: 'NOTHING_DUE', attempt: 0 });
  }
  if (invoice.collectionMethod === 'SEND_INVOICE') {
    const sent = { ...invoice, collectAt: invoice.dueDate };
    if (claim.source.kind !== 'AUTHORIZATION') return only(sent);
    return only(
      claim.isProviderMissing === true
        ? awaitCapture({ ...sent, authorizedTransactionId }, claim.now)
        : claimSlot(sent, claim, { origin: 'COLLECTION', retry: 0 }),
    );
  }
  if (claim.isProviderMissing === true) {
    return only(awaitProvider({ ...invoice, authorizedTransactionId }, claim.now));
  }
  if (claim.source.kind === 'NONE') {
    const collectAt = new Date(claim.now.getTime() + firstCollectionDelayMs);
    return only({ ...invoice, collectAt });
  }
  return only(claimSlot(invoice, claim, { origin: 'COLLECTION', retry: 0 }));
}

/**
 * Does what has fallen due by itself, one step: claims the slot for an attempt with the first of the customer's methods that may be
 * charged; passes over a date at which a charge would be useless; gives up after the last one; tells that an invoice to be sent is
 * overdue. Early, or taken, changes nothing.
 */
export function collectWhenDue(record: InvoiceRecord, claim: Claim): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || !isDue(record, claim.now)) return unchanged(record);
  if (record.collectionMethod === 'SEND_INVOICE') return passDueDate(record);
  if (record.attempt !== undefined && needsSlot(record, claim)) return unchanged(record);
  if (claim.isProviderMissing === true) return only(awaitProvider(record, claim.now));
  const { payments } = record;
  const retry = nextRetry(payments);
  const next = nextMethod(claim, { payments, retry });
  if (next === undefined) return passOver(record, claim.now);
  const { methodId } = next;
  const isFirst = methodId === undefined || methodId === claim.methodId;
  const chosen = isFirst ? claim : withMethod(claim, methodId);
  const started = { ...record, collectAt: undefined };
  return only(claimSlot(started, chosen, { origin: 'COLLECTION', retry }));
}

/** Claims the slot at once for an invoice that waits in collection, because its customer has another default method now. */
export function collectWithNewDefault(
  record: InvoiceRecord,
  claim: Claim,
): Transition<InvoiceRecord> {
  if (!wantsNewDefault(record, claim) || record.attempt !== undefined) return unchanged(record);
  return only(claimSlot(record, claim, { origin: 'NEW_DEFAULT' }));
}

/**
 * Whether a new default method is charged for the invoice as soon as the slot is free. One that this method was tried for last, or that
 * it was refused for good, is left alone, and so is an attempt that runs with it.
 */
export function wantsNewDefault(
  record: InvoiceRecord,
  { source, methodId, isProviderMissing }: Pick<Claim, 'source' | 'methodId' | 'isProviderMissing'>,
): record is Invoice {
  if (!waitsForMethod(record) || source.kind !== 'METHOD' || isProviderMissing === true) {
    return false;
  }
  const { payments, attempt } = record;
  const isTried = (attempt ?? payments.at(-1))?.methodId === methodId;
  return !isTried && !isRefusedForGood(payments, methodId);
}

function waitsForMethod(record: InvoiceRecord): record is Invoice {
  if (record.status !== 'OPEN' || record.session !== undefined) return false;
  return record.collectionMethod === 'CHARGE_AUTOMATICALLY' && record.ended === undefined;
}

/** Whether the invoice is about to open, and to charge the customer's default method. */
export function opensWithDefault(record: InvoiceRecord): boolean {
  if (record.status !== 'DRAFT' || record.session !== undefined) return false;
  const isOfDefault = record.authorizedTransactionId === undefined;
  return isOfDefault && record.collectionMethod === 'CHARGE_AUTOMATICALLY';
}

/**
 * Claims the slot for somebody who pays now. A call whose attempt runs or ended already finds it. What was due before without a charge
 * comes first: nobody pays what has been given up, and what is paid late was overdue.
 */
export function payNow(
  record: InvoiceRecord,
  claim: Claim & PayerPresence & { readonly methods: MethodChoice },
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (attemptOfCall(record, claim.callId) !== undefined) return unchanged(record);
  if (!isOwed(record)) throw invoiceNotOpen();
  if (record.attempt !== undefined) throw paymentInProgress();
  if (claim.isProviderMissing === true) return only(withoutProvider(record, claim.now));
  if (isGivenUpBefore(record, claim)) return giveUp(record, claim.now);
  return afterDueDate(record, claim.now, (invoice) =>
    only(claimSlot(invoice, claim, { origin: 'PAYER', presence: claim })),
  );
}

/** The attempt that a call has made, running or ended; undefined if it made none. */
export function attemptOfCall(invoice: Invoice, callId: string | undefined): number | undefined {
  if (callId === undefined) return undefined;
  if (invoice.attempt?.callId === callId) return invoice.attempt.number;
  return invoice.payments.find((payment) => payment.callId === callId)?.number;
}

/** An attempt's outcome, under which id it is kept, and the facts that decide what follows. */
export interface FinishedAttempt extends Omit<FailureFacts, 'attempt'> {
  readonly attemptNumber: number;
  readonly paymentId: string;
  readonly outcome: FinalOutcome;
}

/**
 * Records what came of the attempt in the slot and empties it. Another attempt, or none, in the slot means that somebody else recorded
 * this one: nothing changes.
 */
export function recordResult(
  record: InvoiceRecord,
  finished: FinishedAttempt,
): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt?.number !== finished.attemptNumber) {
    return unchanged(record);
  }
  const { attempt } = record;
  return afterDueDate(record, finished.now, (invoice) => withPayment(invoice, attempt, finished));
}

function withPayment(
  invoice: Invoice,
  attempt: Attempt,
  { paymentId, outcome, ...facts }: FinishedAttempt,
): Transition<InvoiceRecord> {
  const isFailed = outcome.status === 'FAILED';
  const payment = {
    id: paymentId,
    number: attempt.number,
    amount: totalOf(invoice),
    provider: attempt.provider,
    providerPaymentId: outcome.providerPaymentId,
    status: outcome.status,
    failureCode: isFailed ? outcome.failureCode : undefined,
    decline: isFailed ? outcome.decline : undefined,
    // Where the authorisation failed, nothing was learnt of the card behind it.
    methodId:
      isFailed && outcome.failureCode.startsWith('authorization_') ? undefined : attempt.methodId,
    origin: attempt.origin,
    retry: attempt.retry,
    charged: isFailed && outcome.providerPaymentId !== undefined ? chargedBy(attempt) : undefined,
    callId: attempt.callId,
    createdAt: attempt.startedAt,
    endedAt: facts.now,
  };
  const lastPaymentError = isFailed ? { code: outcome.failureCode, at: facts.now } : undefined;
  const payments = keptPayments([...invoice.payments, payment]);
  const tried = { ...invoice, attempt: undefined, payments, lastPaymentError };
  if (isFailed) return afterFailure(tried, { ...facts, attempt });
  const { now: usedAt, methods } = facts;
  return withUse(paidBy(tried, attempt, usedAt), usedMethod(tried, attempt, { usedAt, methods }));
}

function chargedBy({ source, claimedAt, becomesDefault }: Attempt): Payment['charged'] {
  return { source, claimedAt, becomesDefault };
}

// The subscription of one that was given up has ended: it is told nothing more.
function paidBy(invoice: Invoice, attempt: Attempt, now: Date): Transition<Invoice> {
  const paid = pay(invoice, now);
  if (invoice.status === 'UNCOLLECTIBLE') return { state: paid, events: [], commands: [] };
  return withResult(paid, successOf(invoice, attempt.number));
}

/** Lets the attempt in the slot wait for its payer, unless the payer has answered again meanwhile. */
export function recordWaiting(
  record: InvoiceRecord,
  {
    attemptNumber,
    answers,
    outcome,
  }: { readonly attemptNumber: number; readonly answers: number; readonly outcome: ActionRequired },
): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt?.status !== 'PENDING') return unchanged(record);
  const isSame = record.attempt.number === attemptNumber && record.attempt.answers === answers;
  return isSame
    ? only({ ...record, attempt: waitForPayer(record.attempt, outcome) })
    : unchanged(record);
}

/** Takes up the attempt that waits for its payer; another one, or none, stays as it is. */
export function takeAnswer(
  record: InvoiceRecord,
  answer: {
    readonly attemptNumber: number;
    readonly approved: boolean | undefined;
    readonly claimedAt: Date;
  },
): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt?.status !== 'REQUIRES_ACTION') {
    return unchanged(record);
  }
  if (record.attempt.number !== answer.attemptNumber) return unchanged(record);
  return only({ ...record, attempt: takeUp(record.attempt, answer) });
}

/** A session's invoice of which nothing is due, and no card is given for, paid by its payer's word. */
export function settle(record: InvoiceRecord, now: Date): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN') return unchanged(record);
  if (totalOf(record) !== 0n) throw new Error(`Invoice ${record.id} is to be paid`);
  return withResult(pay(record, now), { outcome: 'NOTHING_DUE', attempt: 0 });
}

/** Voids an OPEN invoice for a caller, and tells its subscription. */
export function voidForCaller(record: InvoiceRecord, now: Date): Transition<InvoiceRecord> {
  checkOwed(record);
  return afterDueDate(record, now, (invoice) => {
    const voided = voidInvoice(invoice, { number: undefined, now }).state;
    if (voided.isTombstone) throw new Error('An invoice never becomes a tombstone');
    return withResult(voided, { outcome: 'VOIDED', attempt: 0 });
  });
}

/**
 * Ends what comes by itself, because the subscription has ended: the invoice stays payable, or is written off. An attempt under way keeps
 * its outcome. A DRAFT is numbered by the same write, so that its number does not burn.
 */
export function endCollection(
  record: InvoiceRecord,
  {
    writeOff,
    number,
    now,
  }: { readonly writeOff: boolean; readonly number: string | undefined; readonly now: Date },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT' && record.status !== 'OPEN') return unchanged(record);
  const ended = writeOff ? 'WRITTEN_OFF' : (record.ended ?? 'PAYABLE');
  if (record.ended === ended) return unchanged(record);
  const opened = record.status === 'DRAFT' ? open(record, { number, now }) : record;
  if (totalOf(opened) === 0n) return only(pay(opened, now));
  const stopped = { ...atRest(opened), ended } as const;
  const isOver = writeOff && record.attempt === undefined;
  return only(isOver ? { ...stopped, status: 'UNCOLLECTIBLE', givenUpAt: now } : stopped);
}

/** What the invoice's first attempt charges: the authorisation it came with, else the customer's default method. */
export function sourceFor(
  invoice: Pick<Invoice, 'authorizedTransactionId'>,
  defaultMethodId: string | undefined,
): ChargeSource {
  const { authorizedTransactionId } = invoice;
  if (authorizedTransactionId !== undefined)
    return { kind: 'AUTHORIZATION', authorizedTransactionId };
  if (defaultMethodId !== undefined) return { kind: 'METHOD', paymentMethodId: defaultMethodId };
  return { kind: 'NONE' };
}

/** Whether a worker goes on with the attempt in the slot: an invoice that is to be written off does not wait for its payer. */
export function isUnderWay({
  attempt,
  ended,
  status,
}: Pick<Invoice, 'attempt' | 'ended' | 'status'>): boolean {
  if (attempt === undefined) return false;
  return attempt.status === 'PENDING' || (ended === 'WRITTEN_OFF' && status === 'OPEN');
}

/** Whether the subscription has a result, or is about to get one; false while the invoice waits for its payer or for a later time. */
export function isCollecting(record: InvoiceRecord): boolean {
  if (record.status === 'VOID') return false;
  return record.attempt !== undefined || record.resultsSent > 0;
}

/** Throws unless the invoice is one that a caller may pay or void. */
export function checkOwed(record: InvoiceRecord): asserts record is Invoice {
  checkOfNoSession(record);
  if (record.status !== 'OPEN') throw invoiceNotOpen();
}

/** Throws for a session's invoice: it is paid, and ends, with its session alone. */
export function checkOfNoSession(record: InvoiceRecord): asserts record is Invoice {
  if (record.isTombstone) throw notFound('Invoice');
  if (record.session === undefined) return;
  const message = 'Invoice belongs to a checkout session';
  throw new DomainError('failed_precondition', 'INVOICE_OF_CHECKOUT', message);
}

/** Refuses to pay or void what is not owed. */
export function invoiceNotOpen(): DomainError {
  return new DomainError('failed_precondition', 'INVOICE_NOT_OPEN', 'Invoice is not open');
}

// Where nothing is due the attempt verified the method.
function successOf(invoice: Invoice, attempt: number): CollectionNews {
  return totalOf(invoice) === 0n
    ? { outcome: 'NOTHING_DUE', attempt: 0 }
    : { outcome: 'SUCCEEDED', attempt };
}
