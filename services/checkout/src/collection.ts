import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import {
  type Attempt,
  type AttemptOrigin,
  begin,
  type Claim,
  type PayerPresence,
  takeUp,
  waitForPayer,
} from './attempt';
import { type CollectionNews, withResult } from './collection-result';
import { isRefusedForGood } from './dunning';
import {
  atRest,
  type Invoice,
  type InvoiceRecord,
  open,
  pay,
  paymentInProgress,
  totalOf,
  voidInvoice,
} from './invoice';
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
 * Every result and event carries all payments of its invoice, so somebody who asks again and again is stopped at some point. The few
 * attempts of the schedule may come beyond it.
 */
const paymentsMax = 100;

const nobody: PayerPresence = { callId: undefined, returnUrl: undefined };

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
  const invoice = open(record, { number, now: claim.now });
  if (invoice.session !== undefined) return only(invoice);
  if (totalOf(invoice) === 0n) {
    return withResult(pay(invoice, claim.now), { outcome: 'NOTHING_DUE', attempt: 0 });
  }
  if (invoice.collectionMethod === 'SEND_INVOICE') {
    const sent = { ...invoice, collectAt: invoice.dueDate };
    return only(
      claim.source.kind === 'AUTHORIZATION' ? claimSlot(sent, claim, 'COLLECTION') : sent,
    );
  }
  if (claim.source.kind === 'NONE') {
    const collectAt = new Date(claim.now.getTime() + firstCollectionDelayMs);
    return only({ ...invoice, collectAt });
  }
  return only(claimSlot(invoice, claim, 'COLLECTION'));
}

/**
 * Does what has fallen due by itself, one step: claims the slot for an attempt with the customer's default method; passes over a date at
 * which a charge would be useless; gives up after the last one; tells that an invoice to be sent is overdue. Early, or taken, changes
 * nothing.
 */
export function collectWhenDue(record: InvoiceRecord, claim: Claim): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || !isDue(record, claim.now)) return unchanged(record);
  if (record.collectionMethod === 'SEND_INVOICE') return passDueDate(record);
  if (record.attempt !== undefined && needsSlot(record, claim)) return unchanged(record);
  if (!isRefusedForGood(record.payments, claim.methodId)) {
    return only(claimSlot({ ...record, collectAt: undefined }, claim, 'COLLECTION'));
  }
  return passOver(record);
}

/** Claims the slot at once for an invoice that waits in collection, because its customer has another default method now. */
export function collectWithNewDefault(
  record: InvoiceRecord,
  claim: Claim,
): Transition<InvoiceRecord> {
  if (!wantsNewDefault(record, claim) || record.attempt !== undefined) return unchanged(record);
  return only(claimSlot(record, claim, 'NEW_DEFAULT'));
}

/**
 * Whether a new default method is charged for the invoice as soon as the slot is free. One that this method was tried for last, or that
 * it was refused for good, is left alone, and so is an attempt that runs with it.
 */
export function wantsNewDefault(
  record: InvoiceRecord,
  { source, methodId }: Pick<Claim, 'source' | 'methodId'>,
): record is Invoice {
  if (!waitsForMethod(record) || source.kind !== 'METHOD') return false;
  const { payments, attempt } = record;
  const isTried = (attempt ?? payments.at(-1))?.methodId === methodId;
  return !isTried && !isRefusedForGood(payments, methodId) && payments.length < paymentsMax;
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
  claim: Claim & PayerPresence & { readonly defaultMethodId: string | undefined },
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (attemptOfCall(record, claim.callId) !== undefined) return unchanged(record);
  if (record.status !== 'OPEN') throw invoiceNotOpen();
  if (record.attempt !== undefined) throw paymentInProgress();
  const facts = { methodId: claim.defaultMethodId, now: claim.now };
  if (isGivenUpBefore(record, facts)) return giveUp(record);
  if (record.payments.length >= paymentsMax) throw tooManyAttempts();
  return afterDueDate(record, claim.now, (invoice) =>
    only(claimSlot(invoice, claim, 'PAYER', claim)),
  );
}

/** The attempt that a call has made, running or ended; undefined if it made none. */
export function attemptOfCall(invoice: Invoice, callId: string | undefined): number | undefined {
  if (callId === undefined) return undefined;
  if (invoice.attempt?.callId === callId) return invoice.attempt.number;
  const index = invoice.payments.findIndex((payment) => payment.callId === callId);
  return index < 0 ? undefined : index + 1;
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
  if (record.status !== 'OPEN' || record.attempt?.number !== finished.attemptNumber) {
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
    amount: totalOf(invoice),
    provider: attempt.provider,
    providerPaymentId: outcome.providerPaymentId,
    status: outcome.status,
    failureCode: isFailed ? outcome.failureCode : undefined,
    decline: isFailed ? outcome.decline : undefined,
    methodId: attempt.methodId,
    origin: attempt.origin,
    callId: attempt.callId,
    createdAt: attempt.startedAt,
    endedAt: facts.now,
  };
  const tried = { ...invoice, attempt: undefined, payments: [...invoice.payments, payment] };
  if (isFailed) return afterFailure(tried, { ...facts, attempt });
  const paid = withResult(pay(tried, facts.now), successOf(invoice, attempt.number));
  const { source, claimedAt: savedAt } = attempt;
  // What the schedule charges is the default already, but for the card of an authorisation where the customer had another one.
  const isOfDefault = source.kind !== 'AUTHORIZATION' || attempt.methodId === facts.defaultMethodId;
  if (attempt.origin !== 'PAYER' && isOfDefault) return paid;
  const used = { source: { ...source }, usedAt: facts.now, savedAt };
  return { ...paid, commands: [...paid.commands, { type: 'preferMethod', payload: used }] };
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
  if (record.status !== 'OPEN' || record.attempt?.status !== 'PENDING') return unchanged(record);
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
  if (record.status !== 'OPEN' || record.attempt?.status !== 'REQUIRES_ACTION') {
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
  return only(isOver ? { ...stopped, status: 'UNCOLLECTIBLE' } : stopped);
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

/** Whether a worker goes on with the attempt in the slot: nobody waits for the payer of what is written off. */
export function isUnderWay({ attempt, ended }: Pick<Invoice, 'attempt' | 'ended'>): boolean {
  if (attempt === undefined) return false;
  return attempt.status === 'PENDING' || ended === 'WRITTEN_OFF';
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

function tooManyAttempts(): DomainError {
  const message = 'Too many payments of the invoice have failed';
  return new DomainError('failed_precondition', 'TOO_MANY_ATTEMPTS', message);
}

function claimSlot(
  invoice: Invoice,
  claim: Claim,
  origin: AttemptOrigin,
  presence: PayerPresence = nobody,
): Invoice {
  const number = invoice.payments.length + 1;
  return {
    ...invoice,
    attempt: begin(number, claim, {
      origin,
      callId: presence.callId,
      returnUrl: presence.returnUrl,
    }),
  };
}

// Where nothing is due the attempt verified the method.
function successOf(invoice: Invoice, attempt: number): CollectionNews {
  return totalOf(invoice) === 0n
    ? { outcome: 'NOTHING_DUE', attempt: 0 }
    : { outcome: 'SUCCEEDED', attempt };
}
