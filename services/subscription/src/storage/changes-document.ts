import {
  type ChangeDocument,
  type ChargeDocument,
  type CreditNoteDocument,
  fromDocumentChange,
  fromDocumentCharge,
  fromDocumentNote,
  fromDocumentPutOff,
  type PutOffDocument,
} from './change-document';
import {
  type ChangeFieldsDocument,
  toDocumentFields,
  toDocumentKnown,
  withFields,
} from './change-fields-document';
import { type DiscountDocument, fromDocumentDiscount } from './discount-document';
import type { Count } from './item-document';
import { type ScheduledChangeDocument, toDocumentScheduled } from './scheduled-change-document';
import type { Subscription } from '../subscription/subscription';
import {
  type CancellationCredit,
  type ChangedPeriod,
  type ChangeKind,
  noChanges,
  type PutOffLines,
  type SubscriptionChanges,
} from '../subscription/subscription-change';

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
interface StoredChanges extends ScheduledChangeDocument {
  /** Absent: stored by an earlier release. */
  readonly changes?: ChangesDocument;
  /** Absent: null. */
  readonly cancellation?: CancellationDocument;
  /** Absent: none; stored by an earlier release. */
  readonly putOff?: readonly PutOffLinesDocument[];
  /** Absent: none; stored by an earlier release. */
  readonly changeFields?: readonly ChangeFieldsDocument[];
}

/** Converts the changes of a subscription to their stored form. */
export function toDocumentChanges(
  subscription: Subscription,
): StoredChanges & { readonly changes: ChangesDocument } {
  const { items } = subscription;
  const { changes: next, stored } = toDocumentScheduled(subscription);
  const { cancellation, putOff, ...changes } = next;
  const { waiting, paying, finished } = changes;
  const inDocument = [subscription.changes.waiting, paying, ...finished].filter(
    (change) => change !== null,
  );
  return {
    changes: {
      ...changes,
      waiting: waiting === null ? null : toDocumentKnown(waiting, items),
      paying: paying === null ? null : toDocumentKnown(paying, items),
      finished: finished.map((change) => toDocumentKnown(change, items)),
    },
    // Never removed once it is stored.
    ...(cancellation !== null && { cancellation }),
    ...stored,
    // Stored also if they are empty: a field that a write omits would keep what has ended.
    ...{ putOff, changeFields: inDocument.flatMap(toDocumentFields) },
  };
}

/** Reads the changes of a subscription; undefined: stored by an earlier release. */
export function fromDocumentChanges({
  changes,
  cancellation,
  putOff = [],
  changeFields = [],
}: StoredChanges): SubscriptionChanges {
  if (changes === undefined) return noChanges;
  const { period, refused, startedAmount, revenue } = changes;
  const read = (change: ChangeDocument) => fromDocumentChange(withFields(change, changeFields));
  return {
    waiting: changes.waiting === null ? null : read(changes.waiting),
    paying: changes.paying === null ? null : read(changes.paying),
    finished: changes.finished.map(read),
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
