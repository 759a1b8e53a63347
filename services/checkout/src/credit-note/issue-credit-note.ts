import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { allocate, smallerOf, sumOf } from '@billing/kernel/money';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { withResult } from '../invoice/collection-result';
import {
  type CreditNote,
  type CreditNoteLine,
  hasAllNotes,
  type Refund,
  refundsMax,
  tooManyCreditNotes,
  withoutOutcome,
} from '../invoice/credit/credit';
import {
  creditedOf,
  creditOfChange,
  leftOfInvoice,
  leftOfLine,
  taxOfCredit,
} from '../invoice/line-credit';
import { refundableOf, refundTooHigh } from '../invoice/refundable';
import {
  type Invoice,
  type InvoiceRecord,
  isOwed,
  type LineItem,
  outstandingOf,
  pay,
  paymentInProgress,
} from '../invoice/invoice';
import type { MethodChoice } from '../invoice/method-choice';
import { lineTaxOf, lineTotalOf } from '../tax/finalization';
import { customerDeleted } from '../invoice/recorded-payment';
import { notCreditable, release } from '../invoice/reservation';
import { afterDueWork } from '../invoice/retry-schedule';

/** Amounts that a credit note is asked for, with tax. */
export type CreditedAmounts =
  | { readonly kind: 'LINES'; readonly lines: readonly RequestedLine[] }
  /** Spread over the lines. */
  | { readonly kind: 'AMOUNT'; readonly amount: bigint }
  | { readonly kind: 'ALL' };

/** Line to credit; without an amount all that is left of it. */
interface RequestedLine {
  readonly lineItemId: string;
  readonly amount: bigint | undefined;
}

/**
 * Where the part goes that lowers nothing owed. RETURN: refunded as far as payments allow; the bank
 * or the seller has returned the rest already.
 */
type CreditSettlement = 'BALANCE' | 'REFUND' | 'EXTERNAL' | 'RETURN';

/** Credit note as a caller asks for it. */
export interface NewCreditNote extends Pick<CreditNote, 'id' | 'reason' | 'memo' | 'metadata'> {
  readonly amounts: CreditedAmounts;
  readonly settle: Exclude<CreditSettlement, 'RETURN'>;
}

/** Credit note of a plan change. */
export interface ChangeCredit {
  readonly id: string;
  readonly changeId: string;
  /** Priced amounts; ALL: what is left of the invoice. */
  readonly lines: 'ALL' | readonly PricedLine[];
}

interface PricedLine {
  readonly lineItemId: string;
  readonly amount: bigint;
}

/** Facts that are looked up before the decision. */
export interface IssueFacts {
  readonly methods: MethodChoice;
  /** Environment time. */
  readonly now: Date;
  /** Real time. */
  readonly realNow: Date;
  /** True if the invoice's customer was deleted: their balance takes nothing any more. */
  readonly isCustomerDeleted?: boolean;
  /** Id of the note's refund with the index. */
  readonly refundIdOf: (index: number) => string;
}

type NoteFacts = Omit<IssueFacts, 'methods'>;

/**
 * Issues a credit note: it lowers what is outstanding, and the rest goes where the caller says. An
 * OPEN invoice with nothing outstanding any more is PAID. A repeat changes nothing. Refunds are
 * stored as PENDING before any is sent.
 */
export function issueCreditNote(
  record: InvoiceRecord,
  { amounts, settle, ...note }: NewCreditNote,
  facts: IssueFacts,
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (findNote(record, note.id) !== undefined) return unchanged(record);
  if (amounts.kind === 'LINES') checkLines(record, amounts.lines);
  checkIssuable(record);
  if (hasAllNotes(record, 'CALLER')) throw tooManyCreditNotes();
  const requested = requestedOf(record, amounts);
  return afterDueWork(record, facts, (invoice) =>
    withNote(invoice, { ...note, requested, settle }, facts),
  );
}

/**
 * Issues the credit note of a plan change to the balance, in place of what the change has reserved.
 * A VOID invoice, and one with nothing left, gets none; the reservation is freed then.
 */
export function issueChangeCredit(
  record: InvoiceRecord,
  { id, changeId, lines }: ChangeCredit,
  facts: IssueFacts,
): Transition<InvoiceRecord> {
  if (record.isTombstone || record.status === 'VOID') return unchanged(record);
  if (findNote(record, id) !== undefined) return unchanged(record);
  checkIssuable(record);
  const freed = freeReservation(record, changeId);
  const requested =
    lines === 'ALL' ? requestedOf(freed, { kind: 'ALL' }) : creditsOfChange(freed, lines);
  const isNothingLeft = sumOf(requested.map(({ amount }) => amount)) < 1n;
  if (isNothingLeft) return freed === record ? unchanged(record) : only(freed);
  const details = { reason: 'CHANGE', memo: undefined, metadata: {}, settle: 'BALANCE' } as const;
  return afterDueWork(freed, facts, (invoice) =>
    withNote(invoice, { id, ...details, requested }, facts),
  );
}

/**
 * Credits all that is left of a paid invoice, because its session does not deliver it: to the
 * balance, or back to the card of a deleted customer. Every other invoice, and one with nothing
 * left, stays as it is.
 */
export function creditUndelivered(
  record: InvoiceRecord,
  id: string,
  facts: NoteFacts,
): Transition<InvoiceRecord> {
  if (record.isTombstone || record.status !== 'PAID') return unchanged(record);
  const requested = requestedOf(record, { kind: 'ALL' });
  const isNothingLeft = sumOf(requested.map(({ amount }) => amount)) < 1n;
  if (isNothingLeft || findNote(record, id) !== undefined) return unchanged(record);
  const details = { reason: 'DUPLICATE', memo: undefined, metadata: {} } as const;
  const settle = facts.isCustomerDeleted === true ? 'RETURN' : 'BALANCE';
  return withNote(record, { id, ...details, requested, settle }, facts);
}

/** Stores the number of a credit note. */
export function numberCreditNote(
  record: InvoiceRecord,
  { creditNoteId, number }: { readonly creditNoteId: string; readonly number: string },
): Transition<InvoiceRecord> {
  const note = record.isTombstone ? undefined : findNote(record, creditNoteId);
  if (record.isTombstone || note === undefined || note.number !== undefined) {
    return unchanged(record);
  }
  const creditNotes = record.creditNotes.map((one) => (one === note ? { ...one, number } : one));
  return only({ ...record, creditNotes });
}

/** Credit note of the invoice; undefined if it has none with the id. */
export function findNote({ creditNotes }: Invoice, id: string): CreditNote | undefined {
  return creditNotes.find((note) => note.id === id);
}

function checkIssuable(record: InvoiceRecord): asserts record is Invoice {
  if (record.isTombstone) throw notFound('Invoice');
  const { status, session, attempt } = record;
  const isIssued = status === 'OPEN' || status === 'PAID' || status === 'UNCOLLECTIBLE';
  if (!isIssued || (status === 'OPEN' && session !== undefined)) throw notCreditable();
  if (attempt !== undefined) throw paymentInProgress();
}

interface DecidedNote extends Pick<CreditNote, 'id' | 'reason' | 'memo' | 'metadata'> {
  readonly requested: readonly LineAmount[];
  readonly settle: CreditSettlement;
}

interface LineAmount {
  readonly line: LineItem;
  readonly amount: bigint;
}

function withNote(
  invoice: Invoice,
  { requested: wanted, settle, ...note }: DecidedNote,
  facts: NoteFacts,
): Transition<InvoiceRecord> {
  const requested = orAllLines(invoice, wanted);
  const total = sumOf(requested.map(({ amount }) => amount));
  if (total < 1n || total > leftOfInvoice(invoice)) throw creditTooHigh();
  const outstanding = isOwed(invoice) ? outstandingOf(invoice) : 0n;
  const reduced = smallerOf(outstanding, total);
  const rest = total - reduced;
  const isForBalance = settle === 'BALANCE' && rest > 0n;
  if (isForBalance && facts.isCustomerDeleted === true) throw customerDeleted();
  const isRefunded = settle === 'REFUND' || settle === 'RETURN';
  const refunds = isRefunded ? refundsFor(invoice, rest, { note, facts }) : [];
  const returned = rest - sumOf(refunds.map(({ amount }) => amount));
  const isBeyond = returned > 0n || invoice.refunds.length + refunds.length > refundsMax;
  if (settle === 'REFUND' && isBeyond) throw refundTooHigh();
  const issued: CreditNote = {
    ...note,
    number: undefined,
    lines: requested.map((one) => creditLine(one, invoice)),
    reduced,
    toBalance: settle === 'BALANCE' ? rest : 0n,
    external: settle === 'EXTERNAL' || settle === 'RETURN' ? returned : 0n,
    issuedAt: facts.now,
  };
  const credited: Invoice = {
    ...invoice,
    creditNotes: [...invoice.creditNotes, issued],
    refunds: [...invoice.refunds, ...refunds],
  };
  const { state, events, commands } = settleIfNothingIsLeft(credited, facts.now);
  const issue = { type: 'issueCreditNote', payload: { creditNoteId: note.id } };
  return { state, events, commands: [issue, ...commands] };
}

// No payment was made, so the subscription only learns that the invoice is settled.
function settleIfNothingIsLeft(invoice: Invoice, now: Date): Transition<InvoiceRecord> {
  if (invoice.status !== 'OPEN' || outstandingOf(invoice) > 0n) return only(invoice);
  return withResult(pay(invoice, now), { outcome: 'SETTLED', attempt: 0 });
}

function creditLine({ line, amount }: LineAmount, invoice: Invoice): CreditNoteLine {
  const before = creditedOf(line, invoice);
  const taxed = { total: lineTotalOf(line), taxAmount: lineTaxOf(line) };
  return {
    lineItemId: line.id,
    total: amount,
    taxAmount: taxOfCredit(taxed, { before, amount }),
  };
}

// The newest payment first; less than the amount if the payments do not allow it.
function refundsFor(
  invoice: Invoice,
  amount: bigint,
  { note, facts }: { readonly note: Pick<CreditNote, 'id'>; readonly facts: NoteFacts },
): Refund[] {
  const refunds: Refund[] = [];
  let left = amount;
  for (const payment of invoice.payments.toReversed()) {
    const part = smallerOf(left, refundableOf(payment, invoice));
    if (part === 0n) continue;
    left -= part;
    const { id: paymentId, provider } = payment;
    refunds.push({
      ...withoutOutcome,
      id: facts.refundIdOf(refunds.length),
      creditNoteId: note.id,
      ...{ paymentId, provider, amount: part, status: 'PENDING', attempt: 1 },
      claimedAt: facts.realNow,
      createdAt: facts.now,
    });
  }
  return refunds;
}

function checkLines(invoice: Invoice, lines: readonly RequestedLine[]): void {
  const seen = new Set<string>();
  const problems = lines.flatMap(({ lineItemId, amount }, index) => {
    const problem = (field: string, text: string) => [`${String(index)}.${field}: ${text}`];
    const line = lineOf(invoice, lineItemId);
    if (line === undefined) return problem('lineItemId', 'Line item not found');
    if (seen.has(lineItemId)) return problem('lineItemId', 'Repeated line item');
    seen.add(lineItemId);
    const isTooMuch = amount !== undefined && amount > leftOfLine(line, invoice);
    return isTooMuch ? problem('amount', 'More than what is left') : [];
  });
  if (problems.length > 0) throw invalidInput({ lines: problems });
}

// In the order of the invoice's lines.
function requestedOf(invoice: Invoice, amounts: CreditedAmounts): LineAmount[] {
  const left = invoice.lineItems.map((line) => ({ line, amount: leftOfLine(line, invoice) }));
  switch (amounts.kind) {
    case 'ALL':
      return left.filter(({ amount }) => amount !== 0n);
    case 'AMOUNT':
      return spread(amounts.amount, left, invoice);
    case 'LINES':
      return left.flatMap(({ line, amount }) => {
        const requested = amounts.lines.find(({ lineItemId }) => lineItemId === line.id);
        if (requested === undefined) return [];
        const credited = requested.amount ?? amount;
        return credited === 0n ? [] : [{ line, amount: credited }];
      });
  }
}

/**
 * A credit of all that is left of the invoice takes what is left of every line. Other lines of the
 * same sum would leave lines above and below 0, and their tax, which nothing could credit.
 */
function orAllLines(invoice: Invoice, requested: readonly LineAmount[]): readonly LineAmount[] {
  const total = sumOf(requested.map(({ amount }) => amount));
  return total === leftOfInvoice(invoice) ? requestedOf(invoice, { kind: 'ALL' }) : requested;
}

function spread(
  amount: bigint,
  left: readonly LineAmount[],
  { currency }: Pick<Invoice, 'currency'>,
): LineAmount[] {
  const open = left.filter((one) => one.amount > 0n);
  const weights = open.map((one) => one.amount);
  if (amount > sumOf(weights)) throw creditTooHigh();
  const parts = allocate({ amount, currency }, weights);
  return open.flatMap(({ line }, index) => {
    const part = parts[index]?.amount ?? 0n;
    return part === 0n ? [] : [{ line, amount: part }];
  });
}

function creditsOfChange(invoice: Invoice, lines: readonly PricedLine[]): LineAmount[] {
  let leftOfAll = leftOfInvoice(invoice);
  return lines.flatMap(({ lineItemId, amount: priced }) => {
    const line = lineOf(invoice, lineItemId);
    if (line === undefined) throw invalidInput({ lines: ['Line item not found'] });
    const left = leftOfLine(line, invoice);
    const amount = creditOfChange(line, priced, { left, leftOfAll });
    leftOfAll -= amount;
    return amount === 0n ? [] : [{ line, amount }];
  });
}

function freeReservation(invoice: Invoice, changeId: string): Invoice {
  if (invoice.reservation?.changeId !== changeId) return invoice;
  const { state } = release(invoice, invoice.reservation);
  return state.isTombstone ? invoice : state;
}

function lineOf({ lineItems }: Invoice, lineItemId: string): LineItem | undefined {
  return lineItems.find(({ id }) => id === lineItemId);
}

function creditTooHigh(): DomainError {
  return new DomainError('failed_precondition', 'CREDIT_TOO_HIGH', 'More than what is left');
}
