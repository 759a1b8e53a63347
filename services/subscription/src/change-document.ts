import type { ItemCharge } from '@billing/kernel/proration/prorated-change';
import { type DiscountDocument, fromDocumentDiscount } from './discount-document';
import {
  type Count,
  fromDocumentItems,
  fromDocumentPrice,
  type ItemDocument,
  type PriceDocument,
  readMetadata,
  toDocumentItem,
  toDocumentPrice,
} from './item-document';
import {
  type CancellationCredit,
  type ChangeCollect,
  type ChangeCreditNote,
  type ChangedPeriod,
  type ChangeInvoice,
  type ChangeKind,
  type ChangeLine,
  type ChangeProration,
  type ChangeSide,
  noChanges,
  type PutOff,
  type PutOffLines,
  type SubscriptionChange,
  type SubscriptionChanges,
  type WantedChange,
} from './subscription/subscription-change';

type SideDocument = Omit<ChangeSide, 'items'> & { readonly items: readonly ItemDocument[] };

type LineDocument = Omit<ChangeLine, 'amount' | 'discountAmount' | 'proration' | 'charge'> & {
  readonly amount: Count;
  readonly discountAmount: Count;
  readonly proration: {
    readonly numerator: Count;
    readonly denominator: Count;
    readonly of: string;
  } | null;
  /** Absent: stored by an earlier release, which charged parts alone. */
  readonly charge?: ChangeLine['charge'];
};

type InvoiceDocument = Omit<
  ChangeInvoice,
  'periodIndex' | 'lines' | 'balanceRound' | 'isByTime'
> & {
  readonly periodIndex: Count;
  readonly lines: readonly LineDocument[];
  readonly balanceRound: Count | null;
  /** Absent: false; stored by an earlier release. */
  readonly isByTime?: boolean;
};

type PutOffDocument = Omit<PutOff, 'lines'> & { readonly lines: readonly LineDocument[] };

type ChargeDocument = Omit<ItemCharge, 'from' | 'gross' | 'net'> & {
  readonly from: Count;
  readonly gross: Count;
  readonly net: Count;
};

type CreditNoteDocument = Omit<ChangeCreditNote, 'amount' | 'lines'> & {
  readonly amount: Count;
  readonly lines: readonly { readonly lineItemId: string; readonly priced: Count }[];
};

/** A change as stored, in its subscription and as its own record. */
export type ChangeDocument = Omit<
  SubscriptionChange,
  | 'wanted'
  | 'from'
  | 'to'
  | 'invoice'
  | 'creditNotes'
  | 'reservedRound'
  | 'charges'
  | 'metadata'
  | 'proration'
  | 'collect'
  | 'putOff'
  | 'takenChangeIds'
  | 'billedOn'
  | 'kind'
  | 'resumeAt'
  | 'beginsCycle'
  | `monthlyAmount${string}`
> & {
  /** Absent: stored by an earlier release, which issued none. */
  readonly creditNotes?: readonly CreditNoteDocument[];
  /** Absent: UPDATE; stored by an earlier release. */
  readonly kind?: ChangeKind;
  /** Absent: null; stored by an earlier release. */
  readonly resumeAt?: Date | null;
  /** Absent: PRORATE; stored by an earlier release. */
  readonly proration?: ChangeProration;
  /** Absent: false; stored by an earlier release. */
  readonly beginsCycle?: boolean;
  /** Absent: NOW; stored by an earlier release. */
  readonly collect?: ChangeCollect;
  /** Absent: null; stored by an earlier release. */
  readonly putOff?: PutOffDocument | null;
  readonly takenChangeIds?: readonly string[];
  readonly billedOn?: string | null;
  /** Absent: that of the invoice. */
  readonly reservedRound?: Count | null;
  readonly wanted: {
    readonly product:
      | (Omit<NonNullable<WantedChange['product']>, 'price'> & { readonly price: PriceDocument })
      | null;
    readonly quantity: Count | null;
    /** Absent: null; stored by an earlier release. */
    readonly discount?: { readonly next: DiscountDocument | null } | null;
  };
  readonly from: SideDocument;
  readonly to: SideDocument;
  readonly monthlyAmountBefore: Count;
  readonly monthlyAmountAfter: Count;
  readonly invoice: InvoiceDocument | null;
  readonly charges: readonly ChargeDocument[];
  readonly metadata: string;
};

/** Credits of an end, as stored. */
export type CancellationDocument = Omit<CancellationCredit, 'reservedRound' | 'creditNotes'> & {
  readonly reservedRound: Count | null;
  readonly creditNotes: readonly CreditNoteDocument[];
};

/** The changes in a subscription's document. */
export interface ChangesDocument {
  readonly waiting: ChangeDocument | null;
  readonly paying: ChangeDocument | null;
  readonly finished: readonly ChangeDocument[];
  readonly period:
    | (Omit<ChangedPeriod, 'periodIndex' | 'applied' | 'charges' | 'discount'> & {
        /** Absent: stored by an earlier release. */
        readonly discount?: DiscountDocument | null;
        readonly periodIndex: Count;
        readonly applied: Count;
        readonly charges: readonly ChargeDocument[];
      })
    | null;
  readonly refused: readonly {
    readonly changeId: string;
    readonly round: Count;
    readonly until: Date;
  }[];
  readonly recentIds: readonly string[];
  readonly startedAmount: Count | null;
  /** Absent: null; stored by an earlier release. */
  readonly startedDiscountId?: string | null;
  readonly revenue: readonly {
    readonly at: Date;
    /** Absent: UPDATE; stored by an earlier release. */
    readonly kind?: ChangeKind;
    readonly before: Count;
    readonly after: Count;
  }[];
}

/** Lines put off, as stored. */
export type PutOffLinesDocument = Omit<PutOffLines, 'lines' | 'bill'> &
  PutOffDocument & { readonly bill: Count | null };

/**
 * Fields of a subscription's document about its changes. An earlier release rewrites `changes`
 * without fields that it does not know, and leaves other fields as they are.
 */
interface StoredChanges {
  /** Absent: stored by an earlier release. */
  readonly changes?: ChangesDocument;
  /** Absent: null. */
  readonly cancellation?: CancellationDocument;
  /** Absent: none; stored by an earlier release. */
  readonly putOff?: readonly PutOffLinesDocument[];
}

/** Converts the changes of a subscription to their stored form. */
export function toDocumentChanges({
  cancellation,
  putOff,
  ...changes
}: SubscriptionChanges): StoredChanges & { readonly changes: ChangesDocument } {
  const { waiting, paying, finished } = changes;
  return {
    changes: {
      ...changes,
      waiting: waiting === null ? null : toDocumentChange(waiting),
      paying: paying === null ? null : toDocumentChange(paying),
      finished: finished.map(toDocumentChange),
    },
    // Never removed once it is stored.
    ...(cancellation !== null && { cancellation }),
    // Stored also if it is empty: a field that a write omits would keep lines that are billed.
    putOff,
  };
}

/** Reads the changes of a subscription; undefined: stored by an earlier release. */
export function fromDocumentChanges({
  changes,
  cancellation,
  putOff = [],
}: StoredChanges): SubscriptionChanges {
  if (changes === undefined) return noChanges;
  const { waiting, paying, finished, period, refused, startedAmount, revenue } = changes;
  return {
    waiting: waiting === null ? null : fromDocumentChange(waiting),
    paying: paying === null ? null : fromDocumentChange(paying),
    finished: finished.map(fromDocumentChange),
    period: period === null ? null : fromDocumentPeriod(period),
    refused: refused.map((one) => ({ ...one, round: Number(one.round) })),
    recentIds: changes.recentIds,
    startedAmount: startedAmount === null ? null : BigInt(startedAmount),
    startedDiscountId: changes.startedDiscountId ?? null,
    revenue: revenue.map(({ at, kind = 'UPDATE', before, after }) => ({
      at,
      kind,
      before: BigInt(before),
      after: BigInt(after),
    })),
    cancellation: cancellation === undefined ? null : fromDocumentCancellation(cancellation),
    putOff: putOff.map(({ changeId, bill, ...lines }) => ({
      changeId,
      bill: bill === null ? null : Number(bill),
      ...fromDocumentPutOff(lines),
    })),
  };
}

function fromDocumentCancellation({
  id,
  reservedRound,
  creditNotes,
}: CancellationDocument): CancellationCredit {
  return {
    id,
    reservedRound: reservedRound === null ? null : Number(reservedRound),
    creditNotes: creditNotes.map(fromDocumentNote),
  };
}

/** Converts a change to its stored form. */
export function toDocumentChange(change: SubscriptionChange): ChangeDocument {
  const { wanted, from, to, metadata } = change;
  const { product } = wanted;
  const pinned = product === null ? null : { ...product, price: toDocumentPrice(product.price) };
  return {
    ...change,
    wanted: { ...wanted, product: pinned },
    from: { ...from, items: from.items.map(toDocumentItem) },
    to: { ...to, items: to.items.map(toDocumentItem) },
    metadata: JSON.stringify(metadata),
  };
}

/** Reads a stored change. */
export function fromDocumentChange(change: ChangeDocument): SubscriptionChange {
  const { wanted, from, to, invoice, charges, metadata } = change;
  const { product, quantity, discount = null } = wanted;
  const { creditNotes = [], reservedRound = invoice?.balanceRound ?? null, putOff = null } = change;
  return {
    id: change.id,
    kind: change.kind ?? 'UPDATE',
    status: change.status,
    at: change.at,
    effectiveAt: change.effectiveAt,
    requirePayment: change.requirePayment,
    proration: change.proration ?? 'PRORATE',
    resumeAt: change.resumeAt ?? null,
    beginsCycle: change.beginsCycle ?? false,
    wanted: {
      product: product === null ? null : { ...product, price: fromDocumentPrice(product.price) },
      quantity: quantity === null ? null : Number(quantity),
      discount: discount === null ? null : { next: fromDocumentDiscount(discount.next) },
    },
    from: { ...from, items: fromDocumentItems(from.items) },
    to: { ...to, items: fromDocumentItems(to.items) },
    monthlyAmountBefore: BigInt(change.monthlyAmountBefore),
    monthlyAmountAfter: BigInt(change.monthlyAmountAfter),
    invoice: invoice === null ? null : fromDocumentInvoice(invoice),
    creditNotes: creditNotes.map(fromDocumentNote),
    reservedRound: reservedRound === null ? null : Number(reservedRound),
    charges: charges.map(fromDocumentCharge),
    collect: change.collect ?? 'NOW',
    putOff: putOff === null ? null : fromDocumentPutOff(putOff),
    takenChangeIds: change.takenChangeIds ?? [],
    billedOn: change.billedOn ?? null,
    failure: change.failure,
    replacedBy: change.replacedBy,
    metadata: readMetadata(metadata),
    createdAt: change.createdAt,
    updatedAt: change.updatedAt,
  };
}

function fromDocumentInvoice(invoice: InvoiceDocument): ChangeInvoice {
  const { periodIndex, lines, balanceRound } = invoice;
  return {
    ...invoice,
    periodIndex: Number(periodIndex),
    lines: lines.map(fromDocumentLine),
    balanceRound: balanceRound === null ? null : Number(balanceRound),
    isByTime: invoice.isByTime ?? false,
  };
}

function fromDocumentPutOff({ lines, discount }: PutOffDocument): PutOff {
  return { lines: lines.map(fromDocumentLine), discount };
}

function fromDocumentLine(line: LineDocument): ChangeLine {
  const { proration, charge = null } = line;
  return {
    ...line,
    amount: BigInt(line.amount),
    discountAmount: BigInt(line.discountAmount),
    proration: proration === null ? null : fromDocumentProration(proration),
    charge,
  };
}

function fromDocumentProration({
  numerator,
  denominator,
  of,
}: NonNullable<LineDocument['proration']>): NonNullable<ChangeLine['proration']> {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator), of };
}

function fromDocumentNote(note: CreditNoteDocument): ChangeCreditNote {
  const lines = note.lines.map((line) => ({ ...line, priced: BigInt(line.priced) }));
  return { ...note, amount: BigInt(note.amount), lines };
}

function fromDocumentPeriod({
  periodIndex,
  applied,
  charges,
  invoiceIds,
  discount,
}: NonNullable<ChangesDocument['period']>): ChangedPeriod {
  return {
    periodIndex: Number(periodIndex),
    applied: Number(applied),
    charges: charges.map(fromDocumentCharge),
    invoiceIds,
    ...(discount !== undefined && { discount: fromDocumentDiscount(discount) }),
  };
}

function fromDocumentCharge({ from, gross, net, ...charge }: ChargeDocument): ItemCharge {
  return { ...charge, from: Number(from), gross: BigInt(gross), net: BigInt(net) };
}
