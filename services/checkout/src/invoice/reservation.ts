import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { hasAllNotes, tooManyCreditNotes } from './credit/credit';
import { creditOfChange, leftOfInvoice, leftOfLine } from './line-credit';
import type { Invoice, InvoiceRecord } from './invoice';

/** One try of a plan change. */
export interface ChangeRound {
  readonly changeId: string;
  /** From 1. */
  readonly round: number;
}

/** Amount of a line that a change gives back. */
export interface LineCredit {
  readonly lineItemId: string;
  /** Priced in a request; with tax in the reservation on an invoice. */
  readonly amount: bigint;
}

/** Credit that a plan change will give back on the invoice. It counts as credited until freed. */
export interface Reservation extends ChangeRound {
  readonly lines: readonly LineCredit[];
}

/**
 * Reserves the lines' credit for a change, of each line at most what is left of it, and of all at
 * most the total. A repeat changes nothing. An invoice has one reservation at a time.
 */
export function reserve(
  record: InvoiceRecord,
  { credits, ...change }: ChangeRound & { readonly credits: readonly LineCredit[] },
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  if (isOf(record.reservation, change)) return unchanged(record);
  if (record.reservation !== undefined) throw reservationInProgress();
  if (!isCreditable(record)) throw notCreditable();
  if (hasAllNotes(record, 'CHANGE')) throw tooManyCreditNotes();
  return only({ ...record, reservation: { ...change, lines: limited(record, credits) } });
}

/** Frees the reservation of a change; that of another change or round stays. */
export function release(record: InvoiceRecord, change: ChangeRound): Transition<InvoiceRecord> {
  if (record.isTombstone || !isOf(record.reservation, change)) return unchanged(record);
  return only({ ...record, reservation: undefined });
}

/** True if the reservation is that of the round. */
export function isOf(
  reservation: Reservation | undefined,
  { changeId, round }: ChangeRound,
): boolean {
  return reservation?.changeId === changeId && reservation.round === round;
}

// A VOID or UNCOLLECTIBLE invoice is no longer owed, so a change finds no room on it.
function isCreditable({ status, session }: Invoice): boolean {
  return status === 'PAID' || (status === 'OPEN' && session === undefined);
}

function limited(invoice: Invoice, credits: readonly LineCredit[]): LineCredit[] {
  let leftOfAll = leftOfInvoice(invoice);
  return credits.map(({ lineItemId, amount: priced }) => {
    const line = invoice.lineItems.find(({ id }) => id === lineItemId);
    if (line === undefined) throw invalidInput({ credits: ['Line item not found'] });
    const left = leftOfLine(line, invoice);
    const amount = creditOfChange(line, priced, { left, leftOfAll });
    leftOfAll -= amount;
    return { lineItemId, amount };
  });
}

/** Retryable error for a change that waits for another one. */
function reservationInProgress(): DomainError {
  return new DomainError('unavailable', 'RESERVATION_IN_PROGRESS', 'Service unavailable');
}

/** Error of a credit for an invoice that is not issued, or whose purchase is open. */
export function notCreditable(): DomainError {
  const message = 'Invoice cannot be credited';
  return new DomainError('failed_precondition', 'INVOICE_CANNOT_BE_CREDITED', message);
}
