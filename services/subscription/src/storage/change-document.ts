import type { ItemCharge } from '@billing/kernel/proration/prorated-change';
import {
  type Count,
  fromDocumentItems,
  type ItemDocument,
  readMetadata,
  toDocumentItem,
} from './item-document';
import type {
  ChangeCollect,
  ChangeCreditNote,
  ChangeInvoice,
  ChangeKind,
  ChangeLine,
  ChangeProration,
  ChangeSide,
  PutOff,
  SubscriptionChange,
} from '../subscription/subscription-change';
import type { PeriodSets } from '../subscription/usage-billing';
import { fromDocumentWanted, toDocumentWanted, type WantedDocument } from './wanted-document';

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

/** Lines of one change that are put off, as stored. */
export type PutOffDocument = Omit<PutOff, 'lines'> & { readonly lines: readonly LineDocument[] };

/** A charge of an item, as stored. */
export type ChargeDocument = Omit<ItemCharge, 'from' | 'gross' | 'net'> & {
  readonly from: Count;
  readonly gross: Count;
  readonly net: Count;
};

/** A credit note of a change or an end, as stored. */
export type CreditNoteDocument = Omit<ChangeCreditNote, 'amount' | 'lines'> & {
  readonly amount: Count;
  readonly lines: readonly { readonly lineItemId: string; readonly priced: Count }[];
};

/** Sets of meter prices of a period, as stored. */
interface SetsDocument {
  readonly set: Count;
  readonly others?: readonly { readonly productId: string; readonly set: Count }[];
}

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
  | 'sets'
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
  /** Absent: none. */
  readonly sets?: SetsDocument;
  readonly billedOn?: string | null;
  /** Absent: that of the invoice. */
  readonly reservedRound?: Count | null;
  readonly wanted: WantedDocument;
  readonly from: SideDocument;
  readonly to: SideDocument;
  readonly monthlyAmountBefore: Count;
  readonly monthlyAmountAfter: Count;
  readonly invoice: InvoiceDocument | null;
  readonly charges: readonly ChargeDocument[];
  readonly metadata: string;
};

/** Converts a change to its stored form. */
export function toDocumentChange(change: SubscriptionChange): ChangeDocument {
  const { wanted, from, to, metadata } = change;
  return {
    ...change,
    wanted: toDocumentWanted(wanted),
    from: { ...from, items: from.items.map(toDocumentItem) },
    to: { ...to, items: to.items.map(toDocumentItem) },
    metadata: JSON.stringify(metadata),
  };
}

/** Reads a stored change. */
export function fromDocumentChange(change: ChangeDocument): SubscriptionChange {
  const { wanted, from, to, invoice, charges, metadata } = change;
  const { creditNotes = [], reservedRound = invoice?.balanceRound ?? null, putOff = null } = change;
  return {
    id: change.id,
    kind: change.kind ?? 'UPDATE',
    status: change.status,
    at: change.at,
    ...(change.notBefore !== undefined && { notBefore: change.notBefore }),
    effectiveAt: change.effectiveAt,
    requirePayment: change.requirePayment,
    proration: change.proration ?? 'PRORATE',
    resumeAt: change.resumeAt ?? null,
    beginsCycle: change.beginsCycle ?? false,
    ...(change.sets !== undefined && { sets: fromDocumentSets(change.sets) }),
    ...(change.usageInvoiceId !== undefined && { usageInvoiceId: change.usageInvoiceId }),
    wanted: fromDocumentWanted(wanted),
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
    ...(change.migrationId !== undefined && { migrationId: change.migrationId }),
    metadata: readMetadata(metadata),
    createdAt: change.createdAt,
    updatedAt: change.updatedAt,
  };
}

function fromDocumentSets({ set, others }: SetsDocument): PeriodSets {
  if (others === undefined) return { set: Number(set) };
  return {
    set: Number(set),
    others: others.map((other) => ({ productId: other.productId, set: Number(other.set) })),
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

/** Reads stored lines that are put off. */
export function fromDocumentPutOff({ lines, discount }: PutOffDocument): PutOff {
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

/** Reads a stored credit note. */
export function fromDocumentNote(note: CreditNoteDocument): ChangeCreditNote {
  const lines = note.lines.map((line) => ({ ...line, priced: BigInt(line.priced) }));
  return { ...note, amount: BigInt(note.amount), lines };
}

/** Reads a stored charge. */
export function fromDocumentCharge({ from, gross, net, ...charge }: ChargeDocument): ItemCharge {
  return { ...charge, from: Number(from), gross: BigInt(gross), net: BigInt(net) };
}
