import { smallerOf, sumOf } from '../money';
import type { RemainingTime, UnusedTime } from './prorated-change';

/** An invoice that unused time may be taken from. */
export interface CreditableInvoice {
  readonly invoiceId: string;
  /** Invoices of other states have no room. */
  readonly status: 'PAID' | 'OPEN';
  /** Its total less its credit notes, made or reserved; in minor units. */
  readonly room: bigint;
}

/** Unused time of an item on an invoice that it was charged on, in minor units. */
export interface PlacedCredit {
  readonly itemId: string;
  readonly invoiceId: string;
  readonly status: 'PAID' | 'OPEN';
  readonly amount: bigint;
}

/** Amount that one credit note gives back, above 0, in minor units. */
export interface CreditNoteAmount {
  readonly invoiceId: string;
  readonly amount: bigint;
  /** An unpaid invoice is lessened; what was paid goes to the customer's balance. */
  readonly settledBy: 'AMOUNT_DUE' | 'BALANCE';
}

/** Unused time as a line of an invoice; the amount is above 0 and is subtracted. */
export interface UnusedLine {
  readonly itemId: string;
  readonly amount: bigint;
  /** True: it takes back lines that were put off; absent: what invoices have charged. */
  readonly isPutOff?: boolean;
}

/** Invoice and credit notes of a change. */
export interface ChangeBill {
  /** Absent if there is nothing to charge. */
  readonly invoice:
    | { readonly unused: readonly UnusedLine[]; readonly remaining: readonly RemainingTime[] }
    | undefined;
  readonly creditNotes: readonly CreditNoteAmount[];
  /** Unused time without room on any invoice, in minor units. */
  readonly lapsed: bigint;
}

/**
 * Splits each item's unused time over invoices, newest first, each up to its room. What finds no
 * room lapses.
 */
export function placeCredits(
  unused: readonly Pick<UnusedTime, 'itemId' | 'amount'>[],
  newestFirst: readonly CreditableInvoice[],
): { placed: PlacedCredit[]; lapsed: bigint } {
  const rooms = newestFirst.map((invoice) => ({ ...invoice }));
  const placed: PlacedCredit[] = [];
  let lapsed = 0n;
  for (const { itemId, amount } of unused) {
    let left = amount;
    for (const invoice of rooms) {
      const taken = smallerOf(left, larger(invoice.room, 0n));
      if (taken === 0n) continue;
      invoice.room -= taken;
      left -= taken;
      const { invoiceId, status } = invoice;
      placed.push({ itemId, invoiceId, status, amount: taken });
    }
    lapsed += left;
  }
  return { placed, lapsed };
}

/** Invoices that unused time may be taken from, and lines that no invoice has billed yet. */
interface CreditSources {
  readonly newestFirst: readonly CreditableInvoice[];
  /** Total of the lines that were put off, before tax; they come before all invoices. */
  readonly putOff?: bigint;
}

/**
 * Bill of a change that keeps the period: an invoice if it and the lines put off charge more than
 * is taken back of paid invoices, otherwise credit notes over the difference.
 */
export function billChange(
  { unused, remaining }: { unused: readonly UnusedTime[]; remaining: readonly RemainingTime[] },
  { newestFirst, putOff = 0n }: CreditSources,
): ChangeBill {
  const charged = putOff + sumOf(remaining.map(({ net }) => net));
  const { placed, lapsed } = placeCredits(unused, withPutOff(newestFirst, putOff));
  const paid = placed.filter(({ status }) => status === 'PAID');
  if (charged > sumOf(paid.map(({ amount }) => amount))) {
    const lines = { unused: linesOf(unused, paid), remaining: remaining.filter(hasAmount) };
    return { invoice: lines, creditNotes: notesOf(placed, { paid: 0n }), lapsed };
  }
  const over = sumOf(paid.map(({ amount }) => amount)) - charged;
  return { invoice: undefined, creditNotes: notesOf(placed, { paid: over }), lapsed };
}

/**
 * Unused time on an invoice that charges `charged` after its discount, and the lines put off: the
 * first one of a new cycle, or that of an end. Lines as far as its total stays 0 or more, and
 * credit notes over the rest.
 */
export function creditAtNewCycle(
  unused: readonly UnusedTime[],
  { charged, newestFirst, putOff = 0n }: { charged: bigint } & CreditSources,
): { lines: UnusedLine[]; creditNotes: CreditNoteAmount[]; lapsed: bigint } {
  const { placed, lapsed } = placeCredits(unused, withPutOff(newestFirst, putOff));
  const paid = placed.filter(({ status }) => status === 'PAID');
  let left = charged + putOff;
  const lines = linesOf(unused, paid)
    .map((line) => {
      const taken = smallerOf(line.amount, left);
      left -= taken;
      return { ...line, amount: taken };
    })
    .filter(({ amount }) => amount > 0n);
  const over = sumOf(paid.map(({ amount }) => amount)) - sumOf(lines.map(({ amount }) => amount));
  return { lines, creditNotes: notesOf(placed, { paid: over }), lapsed };
}

// No invoice has this id.
const putOffId = '';

function withPutOff(
  newestFirst: readonly CreditableInvoice[],
  putOff: bigint,
): readonly CreditableInvoice[] {
  if (putOff <= 0n) return newestFirst;
  return [{ invoiceId: putOffId, status: 'PAID', room: putOff }, ...newestFirst];
}

/** Lines of what falls on lines put off, then of what falls on invoices: their taxes may differ. */
function linesOf(unused: readonly UnusedTime[], placed: readonly PlacedCredit[]): UnusedLine[] {
  const isOnPutOff = ({ invoiceId }: PlacedCredit) => invoiceId === putOffId;
  // An item may have two charges.
  const itemIds = [...new Set(unused.map(({ itemId }) => itemId))];
  const linesOn = (some: readonly PlacedCredit[]) =>
    itemIds
      .map((itemId) => ({
        itemId,
        amount: sumOf(some.filter((one) => one.itemId === itemId).map(({ amount }) => amount)),
      }))
      .filter(({ amount }) => amount > 0n);
  const onPutOff = linesOn(placed.filter(isOnPutOff));
  return [
    ...onPutOff.map((line) => ({ ...line, isPutOff: true })),
    ...linesOn(placed.filter((one) => !isOnPutOff(one))),
  ];
}

/** Credit notes over all that falls on unpaid invoices, and `paid` of what falls on paid ones. */
function notesOf(
  placed: readonly PlacedCredit[],
  { paid }: { readonly paid: bigint },
): CreditNoteAmount[] {
  const byInvoice = new Map<string, { status: 'PAID' | 'OPEN'; amount: bigint }>();
  for (const { invoiceId, status, amount } of placed) {
    if (invoiceId === putOffId) continue;
    const before = byInvoice.get(invoiceId)?.amount ?? 0n;
    byInvoice.set(invoiceId, { status, amount: before + amount });
  }
  let left = paid;
  return [...byInvoice].flatMap(([invoiceId, { status, amount }]): CreditNoteAmount[] => {
    if (status === 'OPEN') return [{ invoiceId, amount, settledBy: 'AMOUNT_DUE' }];
    const taken = smallerOf(amount, left);
    left -= taken;
    return taken === 0n ? [] : [{ invoiceId, amount: taken, settledBy: 'BALANCE' }];
  });
}

function hasAmount({ gross }: RemainingTime): boolean {
  return gross > 0n;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
