import { type Transition, unchanged } from '@billing/kernel/transition';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import {
  type Attempt,
  type Invoice,
  type InvoiceRecord,
  open,
  pay,
  totalOf,
  voidInvoice,
} from './invoice';
import type { ChargeSource, FinalOutcome } from './payment-provider';

/** What the subscription is told of an attempt. */
export type CollectionOutcome = 'SUCCEEDED' | 'FAILED' | 'NOTHING_DUE' | 'VOIDED';

/** An invoice that nothing can be charged for is tried once more after this long: the customer may give a card by then. */
const firstCollectionDelayMs = 60 * 60 * 1000;
/** Long enough for a provider to answer; after it another worker takes a claimed attempt up. */
const resumeAfterMs = 30_000;

/** What an attempt needs: the source is looked up before, because a rule asks nobody. */
export interface Claim {
  readonly source: ChargeSource;
  /** Business time. */
  readonly now: Date;
  /** Real time. */
  readonly claimedAt: Date;
}

/**
 * Opens a DRAFT under its number and, in the same write, begins to collect it: nothing due is PAID at once; an invoice to be sent waits
 * for the payer; a usable source claims the slot; without one the first attempt is due an hour later. What is open already stays as it is,
 * so that the repeated step does not open or claim twice.
 */
export function openAndCollect(
  record: InvoiceRecord,
  { number, ...claim }: Claim & { number: string },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT') return unchanged(record);
  const invoice = open(record, { number, now: claim.now });
  if (totalOf(invoice) === 0n) {
    return withResult(pay(invoice, claim.now), { outcome: 'NOTHING_DUE', attempt: 0 });
  }
  if (invoice.collectionMethod === 'SEND_INVOICE') return only(invoice);
  if (claim.source.kind === 'NONE') {
    const collectAt = new Date(claim.now.getTime() + firstCollectionDelayMs);
    return only({ ...invoice, collectAt });
  }
  return only(claimSlot(invoice, claim));
}

/** Claims the slot for an attempt that is due; too early, too late or taken changes nothing. */
export function collectWhenDue(record: InvoiceRecord, claim: Claim): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || record.attempt !== undefined) return unchanged(record);
  if (record.collectAt === undefined || record.collectAt > claim.now) return unchanged(record);
  return only(claimSlot({ ...record, collectAt: undefined }, claim));
}

/** An attempt's outcome, and under which id it is kept. */
export interface FinishedAttempt {
  readonly attemptNumber: number;
  readonly paymentId: string;
  readonly provider: string;
  readonly outcome: FinalOutcome;
  readonly now: Date;
}

/**
 * Records what came of the attempt in the slot and empties it. Another attempt, or none, in the slot means that somebody else recorded
 * this one: nothing changes.
 */
export function recordResult(
  record: InvoiceRecord,
  { attemptNumber, paymentId, provider, outcome, now }: FinishedAttempt,
): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || record.attempt?.number !== attemptNumber) {
    return unchanged(record);
  }
  const payment = {
    id: paymentId,
    amount: totalOf(record),
    provider,
    providerPaymentId: outcome.providerPaymentId,
    status: outcome.status,
    failureCode: outcome.status === 'FAILED' ? outcome.failureCode : undefined,
    createdAt: now,
  };
  const tried = { ...record, attempt: undefined, payments: [...record.payments, payment] };
  const invoice = outcome.status === 'SUCCEEDED' ? pay(tried, now) : tried;
  return withResult(invoice, { outcome: outcome.status, attempt: attemptNumber });
}

/** Voids an OPEN invoice for a caller, and tells its subscription. */
export function voidForCaller(record: InvoiceRecord, now: Date): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (record.status !== 'OPEN') {
    throw new DomainError('failed_precondition', 'INVOICE_NOT_OPEN', 'Invoice is not open');
  }
  const voided = voidInvoice(record, { number: undefined, now }).state;
  if (voided.isTombstone) throw new Error('A tombstone is no invoice');
  return withResult(voided, { outcome: 'VOIDED', attempt: 0 });
}

/** Ends the attempts that come by themselves; with `writeOff` nothing is expected of the invoice any more. */
export function endCollection(
  record: InvoiceRecord,
  { writeOff, number, now }: { writeOff: boolean; number: string | undefined; now: Date },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT' && record.status !== 'OPEN') return unchanged(record);
  if (
    record.attempt !== undefined ||
    (record.status === 'OPEN' && !writeOff && record.collectAt === undefined)
  )
    return unchanged(record);
  const opened =
    record.status === 'DRAFT' && number !== undefined ? open(record, { number, now }) : record;
  return only({ ...opened, status: writeOff ? 'UNCOLLECTIBLE' : 'OPEN', collectAt: undefined });
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

/** Whether the subscription has a result, or is about to get one; false while the invoice waits for its payer or for a later time. */
export function isCollecting(record: InvoiceRecord): boolean {
  if (record.status === 'VOID') return false;
  return record.attempt !== undefined || record.resultsSent > 0;
}

/** The provider's idempotency key of an attempt: the same however often the attempt is resumed. */
export function chargeKey(invoiceId: string, attempt: Pick<Attempt, 'number'>): string {
  return `${invoiceId}:${String(attempt.number)}`;
}

/** Real time at which any worker may take up the attempt that is in the slot. */
export function resumeAt({ claimedAt }: Pick<Attempt, 'claimedAt'>): Date {
  return new Date(claimedAt.getTime() + resumeAfterMs);
}

function claimSlot(invoice: Invoice, { source, claimedAt }: Claim): Invoice {
  const number = invoice.payments.length + 1;
  return { ...invoice, attempt: { number, source, claimedAt } };
}

// The number is given in the very write that appends the command, so the receiver can take results in order and once.
function withResult(
  invoice: Invoice,
  { outcome, attempt }: { outcome: CollectionOutcome; attempt: number },
): Transition<InvoiceRecord> {
  const resultNumber = invoice.resultsSent + 1;
  return {
    state: { ...invoice, resultsSent: resultNumber },
    events: [],
    commands: [{ type: 'applyCollectionResult', payload: { resultNumber, outcome, attempt } }],
  };
}

function only(state: Invoice): Transition<InvoiceRecord> {
  return { state, events: [], commands: [] };
}
