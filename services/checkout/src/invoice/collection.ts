import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { afterPayment, withOverpayment } from './after-payment';
import {
  type Attempt,
  type Claim,
  type PayerPresence,
  type ScheduledClaim,
  resumeAttempt,
  waitForPayer,
} from './attempt';
import { claimSlot, withMethod } from './attempt-slot';
import { withResult } from './collection-result';
import { isPermanentlyRefused } from './dunning';
import { withFailedPayment } from './failed-payment';
import { keptPayments } from './kept-payments';
import { usedMethod, withMethodUse } from './method-use';
import { type MethodChoice, nextMethod, nextRetry } from './method-choice';
import {
  hasPaymentOrCredit,
  withoutCharges,
  withoutSchedule,
  type Invoice,
  type InvoiceRecord,
  isOwed,
  open,
  type Opening,
  pay,
  payableOf,
  outstandingOf,
  type Payment,
  type PaymentCard,
  paymentInProgress,
  voidInvoice,
} from './invoice';
import { awaitCapture, awaitProvider, withoutProvider } from './provider-absence';
import type { ActionRequired, ChargeSource, FinalOutcome } from '../provider/port/payment-provider';
import { withCardCountry } from '../tax/finalization';
import {
  afterDueDate,
  afterDueWork,
  afterFailure,
  type FailureFacts,
  endDunning,
  isDue,
  isDunningOver,
  needsSlot,
  passSentDate,
  skipDate,
  withDueDate,
} from './retry-schedule';

/**
 * An invoice without a chargeable method is tried again after this delay: the customer may add a
 * card by then.
 */
const firstCollectionDelayMs = 60 * 60 * 1000;

/**
 * Opens a DRAFT under its number and starts its collection in the same write:
 * - nothing due, or nothing left after the customer's balance: PAID;
 * - sent invoice: waits for the payer, unless a payment was authorized for it;
 * - usable source: claims the slot;
 * - no source: the first attempt is due an hour later, or fails if the invoice is charged once;
 * - a session's invoice: waits for its payer, even if nothing is due.
 * An invoice that is already open stays as it is, so a retried step opens and claims once.
 */
export function openAndCollect(
  record: InvoiceRecord,
  { number, balanceApplied, retryDays, ...claim }: ScheduledClaim & Omit<Opening, 'now'>,
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT') return unchanged(record);
  const { authorizedTransactionId } = record;
  const invoice = open(record, { number, balanceApplied, now: claim.now });
  if (invoice.session !== undefined) return only(invoice);
  if (payableOf(invoice) === 0n) {
    return withResult(pay(invoice, claim.now), { outcome: 'NOTHING_DUE', attempt: 0 });
  }
  if (invoice.collectionMethod === 'SEND_INVOICE') {
    const sent = withDueDate(invoice, retryDays);
    if (claim.source.kind !== 'AUTHORIZATION') return only(sent);
    return only(
      claim.isProviderMissing === true
        ? awaitCapture({ ...sent, authorizedTransactionId }, claim.now)
        : claimSlot(sent, claim, { origin: 'COLLECTION', retry: 0 }),
    );
  }
  if (claim.isProviderMissing === true) {
    const owed = { ...invoice, authorizedTransactionId, isChargedOnce: false };
    return only(awaitProvider(owed, claim.now));
  }
  if (claim.source.kind === 'NONE' && invoice.isChargedOnce !== true) {
    const collectAt = new Date(claim.now.getTime() + firstCollectionDelayMs);
    return only({ ...invoice, collectAt });
  }
  return only(claimSlot(invoice, claim, { origin: 'COLLECTION', retry: 0 }));
}

/**
 * Does one step of due work: claims the slot for an attempt with the first of the customer's
 * methods that may be charged; reminds the payer at a date at which a charge would be useless; ends
 * dunning after the last date; reports a sent invoice as overdue, or reminds of it. Changes nothing
 * before the date or while the slot is taken.
 */
export function collectWhenDue(
  record: InvoiceRecord,
  { retryDays, ...claim }: ScheduledClaim,
): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || !isDue(record, claim.now)) return unchanged(record);
  if (record.collectionMethod === 'SEND_INVOICE') return passSentDate(record, claim.now);
  if (record.attempt !== undefined && needsSlot(record, claim)) return unchanged(record);
  if (claim.isProviderMissing === true) return only(awaitProvider(record, claim.now));
  const { payments } = record;
  const retry = nextRetry(payments);
  const next = nextMethod(claim, { payments, retry });
  if (next === undefined) return skipDate(record, { now: claim.now, retryDays });
  const { methodId } = next;
  const isFirst = methodId === undefined || methodId === claim.methodId;
  const chosen = isFirst ? claim : withMethod(claim, methodId);
  const started = { ...record, collectAt: undefined };
  return only(claimSlot(started, chosen, { origin: 'COLLECTION', retry }));
}

/**
 * Claims the slot immediately for an invoice in collection, because its customer has a new default
 * method.
 */
export function collectWithNewDefault(
  record: InvoiceRecord,
  claim: Claim,
): Transition<InvoiceRecord> {
  if (!wantsNewDefault(record, claim) || record.attempt !== undefined) return unchanged(record);
  return only(claimSlot(record, claim, { origin: 'NEW_DEFAULT' }));
}

/**
 * True if a new default method is to be charged for the invoice as soon as the slot is free.
 * Excluded: the method tried last, a permanently refused method, and a method whose attempt is
 * running.
 */
export function wantsNewDefault(
  record: InvoiceRecord,
  { source, methodId, isProviderMissing }: Pick<Claim, 'source' | 'methodId' | 'isProviderMissing'>,
): record is Invoice {
  if (!waitsForMethod(record) || source.kind !== 'METHOD' || isProviderMissing === true) {
    return false;
  }
  const { payments, attempt } = record;
  const last = payments.findLast(({ origin }) => origin !== 'RECORDED');
  const isTried = (attempt ?? last)?.methodId === methodId;
  return !isTried && !isPermanentlyRefused(payments, methodId);
}

function waitsForMethod(record: InvoiceRecord): record is Invoice {
  if (record.status !== 'OPEN' || record.session !== undefined) return false;
  return record.collectionMethod === 'CHARGE_AUTOMATICALLY' && record.ended === undefined;
}

/** True if the invoice is about to open and to charge the customer's default method. */
export function opensWithDefault(record: InvoiceRecord): boolean {
  if (record.status !== 'DRAFT' || record.session !== undefined) return false;
  // A one-off draft opens when its caller finalizes it, which may be never.
  if (record.oneOff !== undefined && record.oneOff.finalizedAt === undefined) return false;
  const isOfDefault = record.authorizedTransactionId === undefined;
  return isOfDefault && record.collectionMethod === 'CHARGE_AUTOMATICALLY';
}

/**
 * Claims the slot for a payer or caller who pays now. A retried call finds its own attempt, running
 * or ended. Earlier due work without a charge is applied first: an uncollectible invoice is not
 * charged, and a late payment is reported overdue before it is paid.
 */
export function payNow(
  record: InvoiceRecord,
  claim: Claim & PayerPresence & { readonly methods: MethodChoice } & CardFacts,
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (attemptOfCall(record, claim.callId) !== undefined) return unchanged(record);
  checkPayable(record);
  if (record.attempt !== undefined) throw paymentInProgress();
  if ((claim.expectedAmount ?? outstandingOf(record)) !== outstandingOf(record)) {
    throw amountChanged();
  }
  if (claim.isProviderMissing === true) return only(withoutProvider(record, claim.now));
  if (isDunningOver(record, claim)) return endDunning(record, claim.now);
  const { now: at, cardCountry: country } = claim;
  return afterDueDate(record, at, (invoice) => {
    const finalization = withCardCountry(invoice.finalization, { country, at });
    return only(
      claimSlot({ ...invoice, finalization }, claim, { origin: 'PAYER', presence: claim }),
    );
  });
}

/** Facts about the charged card. */
interface CardFacts {
  /** Absent: unknown, or not kept. */
  readonly cardCountry?: string | undefined;
}

/** Error of a payment of another amount than is due. */
export function amountChanged(): DomainError {
  return new DomainError('failed_precondition', 'AMOUNT_CHANGED', 'The total has changed.');
}

/** Number of the attempt that a call has made, running or ended; undefined if it made none. */
export function attemptOfCall(invoice: Invoice, callId: string | undefined): number | undefined {
  if (callId === undefined) return undefined;
  if (invoice.attempt?.callId === callId) return invoice.attempt.number;
  return invoice.payments.find((payment) => payment.callId === callId)?.number;
}

/**
 * Outcome of an attempt, the payment id that stores it, and the facts that decide the next step.
 */
export interface FinishedAttempt extends Omit<FailureFacts, 'attempt'> {
  readonly attemptNumber: number;
  readonly paymentId: string;
  readonly outcome: FinalOutcome;
  /** The charged card; absent: none, or unknown. */
  readonly card?: PaymentCard | undefined;
}

/**
 * Records the outcome of the attempt in the slot and empties the slot. Changes nothing if the slot
 * holds another attempt or none: another worker has already recorded this one.
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
  { paymentId, outcome, card, ...facts }: FinishedAttempt,
): Transition<InvoiceRecord> {
  const isFailed = outcome.status === 'FAILED';
  // A failed authorization says nothing of the card behind it.
  const isOfMethod = !isFailed || !outcome.failureCode.startsWith('authorization_');
  const payment = {
    id: paymentId,
    number: attempt.number,
    ...takenFor(invoice, attempt, outcome),
    provider: attempt.provider,
    providerPaymentId: outcome.providerPaymentId,
    status: outcome.status,
    failureCode: isFailed ? outcome.failureCode : undefined,
    decline: isFailed ? outcome.decline : undefined,
    methodId: isOfMethod ? attempt.methodId : undefined,
    ...(isOfMethod && card !== undefined && { card }),
    origin: attempt.origin,
    retry: attempt.retry,
    charged: isFailed && outcome.providerPaymentId !== undefined ? chargedBy(attempt) : undefined,
    callId: attempt.callId,
    recorded: attempt.recorded,
    createdAt: attempt.startedAt,
    endedAt: facts.now,
  };
  const charged = isFailed ? { code: outcome.failureCode, at: facts.now } : undefined;
  const lastPaymentError = attempt.source.kind === 'BALANCE' ? invoice.lastPaymentError : charged;
  const payments = keptPayments([...invoice.payments, payment]);
  const tried = { ...invoice, attempt: undefined, payments, lastPaymentError };
  if (isFailed) {
    const failed = afterFailure(tried, { ...facts, attempt });
    return withFailedPayment(failed, payment, { ...facts, attempt });
  }
  const { now: usedAt, methods } = facts;
  const paid = afterPayment(tried, { number: attempt.number, now: usedAt });
  return withMethodUse(
    withOverpayment({ ...paid, state: withRestDue(paid.state, attempt, usedAt) }, payment),
    usedMethod(tried, attempt, { usedAt, methods }),
  );
}

// A charge that the provider made before a restore may be of another amount than is outstanding.
function takenFor(
  invoice: Invoice,
  attempt: Attempt,
  outcome: FinalOutcome,
): Pick<Payment, 'amount' | 'overpayment'> {
  const requested = amountOf(attempt, invoice);
  const amount = outcome.status === 'FAILED' ? requested : (outcome.amount ?? requested);
  return { amount, overpayment: amount > requested ? amount - requested : 0n };
}

// A scheduled charge has used up its date.
function withRestDue(record: InvoiceRecord, { origin }: Attempt, now: Date): InvoiceRecord {
  const isCollected = origin === 'COLLECTION' && waitsForMethod(record);
  return isCollected && record.collectAt === undefined ? { ...record, collectAt: now } : record;
}

function chargedBy({ source, claimedAt, becomesDefault }: Attempt): Payment['charged'] {
  return { source, claimedAt, becomesDefault };
}

/** Amount that an attempt collects. It stays the same while the attempt is in the slot. */
export function amountOf({ source }: Pick<Attempt, 'source'>, invoice: Invoice): bigint {
  return source.kind === 'BALANCE' ? source.amount : outstandingOf(invoice);
}

/** Marks the attempt in the slot as waiting for its payer, unless the payer has answered since. */
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

/** Resumes the attempt that waits for its payer; any other state of the slot stays as it is. */
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
  return only({ ...record, attempt: resumeAttempt(record.attempt, answer) });
}

/** Pays a session's invoice with nothing due and no card, on the payer's confirmation. */
export function settle(record: InvoiceRecord, now: Date): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN') return unchanged(record);
  if (payableOf(record) !== 0n) throw new Error(`Invoice ${record.id} has an amount due`);
  return withResult(pay(record, now), { outcome: 'NOTHING_DUE', attempt: 0 });
}

/**
 * Voids an OPEN invoice for a caller and reports the result to its subscription. A retried call
 * changes nothing.
 */
export function voidForCaller(
  record: InvoiceRecord,
  now: Date,
  callId?: string,
): Transition<InvoiceRecord> {
  if (isVoidedBy(record, callId)) return unchanged(record);
  checkVoidable(record);
  return afterDueDate(record, now, (invoice) => {
    const { state: voided, commands } = voidInvoice(invoice, { number: undefined, now });
    if (voided.isTombstone) throw new Error('An invoice never becomes a tombstone');
    const state = callId === undefined ? voided : { ...voided, voidedBy: callId };
    const reported = withResult(state, { outcome: 'VOIDED', attempt: 0 });
    return { ...reported, commands: [...commands, ...reported.commands] };
  });
}

/**
 * Writes an OPEN invoice off for a caller. Unlike at the end of dunning its subscription goes on.
 * Dunning that is over is ended first. A retried call changes nothing.
 */
export function markUncollectible(
  record: InvoiceRecord,
  {
    methods,
    now,
    callId: writtenOffBy,
  }: {
    readonly methods: MethodChoice;
    readonly now: Date;
    readonly callId?: string | undefined;
  },
): Transition<InvoiceRecord> {
  if (isWrittenOffBy(record, writtenOffBy)) return unchanged(record);
  checkMarkable(record);
  if (record.attempt !== undefined) throw paymentInProgress();
  return afterDueWork(record, { methods, now }, (invoice) => {
    if (invoice.status === 'UNCOLLECTIBLE') return only({ ...invoice, writtenOffBy });
    const givenUp = { ...withoutSchedule(invoice), givenUpAt: now, writtenOffBy };
    const uncollectible = { ...givenUp, status: 'UNCOLLECTIBLE' } as const;
    return withResult(uncollectible, { outcome: 'WRITTEN_OFF', attempt: 0 });
  });
}

/** True if the call has voided the invoice. */
export function isVoidedBy(record: InvoiceRecord, callId: string | undefined): boolean {
  return callId !== undefined && !record.isTombstone && record.voidedBy === callId;
}

/** True if the call has written the invoice off. */
export function isWrittenOffBy(record: InvoiceRecord, callId: string | undefined): boolean {
  return callId !== undefined && !record.isTombstone && record.writtenOffBy === callId;
}

/** Throws unless a caller may write the invoice off, regardless of its slot. */
export function checkMarkable(record: InvoiceRecord): asserts record is Invoice {
  if (record.isTombstone) throw notFound('Invoice');
  if (record.status !== 'OPEN') throw invoiceNotOpen();
  checkOfNoSession(record);
}

/**
 * Ends automatic charges, because the subscription has ended: the invoice stays payable or is
 * written off. A sent one that stays payable keeps its due date and its reminders. A running
 * attempt keeps its outcome. A DRAFT is numbered by the same write, so that its number leaves no
 * gap.
 */
export function endCollection(
  record: InvoiceRecord,
  {
    writeOff,
    retryDays,
    ...opening
  }: Opening & { readonly writeOff: boolean; readonly retryDays: readonly number[] },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT' && record.status !== 'OPEN') return unchanged(record);
  const ended = writeOff ? 'WRITTEN_OFF' : (record.ended ?? 'PAYABLE');
  if (record.ended === ended) return unchanged(record);
  const opened = record.status === 'DRAFT' ? openEnded(record, opening, retryDays) : record;
  const { now } = opening;
  if (payableOf(opened) === 0n) return only(pay(opened, now));
  const left = writeOff ? withoutSchedule(opened) : withoutCharges(opened);
  const stopped = { ...left, ended } as const;
  const isWrittenOff = writeOff && record.attempt === undefined;
  return only(isWrittenOff ? { ...stopped, status: 'UNCOLLECTIBLE', givenUpAt: now } : stopped);
}

function openEnded(draft: Invoice, opening: Opening, retryDays: readonly number[]): Invoice {
  const opened = open(draft, opening);
  return opened.collectionMethod === 'SEND_INVOICE' ? withDueDate(opened, retryDays) : opened;
}

/**
 * Source of the invoice's first attempt: the authorization it came with, otherwise the customer's
 * default method.
 */
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

/**
 * True if the subscription has a result or is about to get one; false while the invoice waits for
 * its payer or for a later date.
 */
export function isCollecting(record: InvoiceRecord): boolean {
  if (record.status === 'VOID') return false;
  return record.attempt !== undefined || record.resultsSent > 0;
}

/** Throws unless a caller may void the invoice, regardless of its slot. */
export function checkVoidable(record: InvoiceRecord): asserts record is Invoice {
  checkOfNoSession(record);
  if (record.status !== 'OPEN') throw invoiceNotOpen();
  if (!hasPaymentOrCredit(record)) return;
  const message = 'Invoice has payments or credit notes';
  throw new DomainError('failed_precondition', 'INVOICE_HAS_PAYMENTS', message);
}

/** Throws for a session's invoice, which is paid and ended only through its session. */
export function checkOfNoSession(record: InvoiceRecord): asserts record is Invoice {
  if (record.isTombstone) throw notFound('Invoice');
  if (record.session === undefined) return;
  const message = 'Invoice belongs to a checkout session';
  throw new DomainError('failed_precondition', 'INVOICE_OF_CHECKOUT', message);
}

/**
 * Throws unless a payment of the invoice may be taken. Credit notes leave an uncollectible invoice
 * as it is, even when nothing is outstanding any more.
 */
export function checkPayable(invoice: Invoice): void {
  const isCredited = invoice.status === 'UNCOLLECTIBLE' && outstandingOf(invoice) === 0n;
  if (!isOwed(invoice) || isCredited) throw invoiceNotOpen();
}

/** Error of a request to pay or void an invoice that is not owed. */
export function invoiceNotOpen(): DomainError {
  return new DomainError('failed_precondition', 'INVOICE_NOT_OPEN', 'Invoice is not open');
}
