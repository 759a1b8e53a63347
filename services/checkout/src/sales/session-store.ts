import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { readPage } from '@billing/chassis/request-fields';
import { isCurrency } from '@billing/kernel/currency';
import {
  expiryOf,
  type Offer,
  type OfferedItem,
  type PaymentPlan,
  type RunningPayment,
  type Session,
  type SessionRecord,
  sessionResumeAt,
  type TypedCodes,
} from './session';
import { funnelStepsReached } from './session-funnel';
import { type Count, nullable, type Nullable } from '../invoice/document/stored-fields';

type PlanDocument = Nullable<PaymentPlan>;
type RunningDocument = PlanDocument &
  Pick<RunningPayment, 'claimedAt'> & { readonly latePayment?: Count | null };
type ChallengeDocument = PlanDocument & {
  readonly attempt: Count;
  readonly redirectUrl: string | null;
};

interface CodesDocument {
  readonly round: Count;
  readonly wrong: Count;
  readonly replacements: Count;
  readonly held: {
    readonly round: Count;
    readonly holderId: string;
    /** Absent where the code has not shortened the session. */
    readonly plainExpiresAt?: Date;
  } | null;
  readonly replacedInvoiceId: string | null;
}

type ItemDocument = Omit<Nullable<OfferedItem>, 'quantity'> & { readonly quantity: Count };

type SessionDocument = { readonly _id: string; readonly isTombstone: false } & Omit<
  Nullable<Session>,
  | 'id'
  | 'isTombstone'
  | 'quantity'
  | 'recurrence'
  | 'trialDays'
  | 'total'
  | 'payment'
  | 'challenge'
  | 'metadata'
  | 'snapshots'
  | 'endReason'
  | 'isVoidAnnounced'
  | 'isDiscountOptional'
  | 'isDiscountLost'
  | 'pageHash'
  | 'otherItems'
  | 'allowsCodes'
  | 'codes'
  | 'promisedDiscount'
> & {
    /** Null or absent: no preview has promised one. */
    readonly promisedDiscount?: string | null;
    /** Absent in sessions of earlier releases. */
    readonly allowsCodes?: boolean | null;
    /** Null or absent: no code was typed. */
    readonly codes?: CodesDocument | null;
    /** Null or absent: the session has one item. */
    readonly otherItems?: readonly ItemDocument[] | null;
    readonly quantity: Count;
    readonly recurrence: Omit<Offer['recurrence'], 'intervalCount'> & {
      readonly intervalCount: Count;
    };
    readonly trialDays: Count;
    readonly total: Count | null;
    readonly payment: RunningDocument | null;
    readonly challenge: ChallengeDocument | null;
    /** JSON text, because keys may contain dots. */
    readonly metadata: string;
    readonly snapshots: Nullable<Session['snapshots']>;
    /** Absent in sessions stored before reasons were recorded. */
    readonly endReason?: Session['endReason'] | null;
    /** Absent in sessions stored before ends were announced. */
    readonly isVoidAnnounced?: boolean;
    /** Absent in sessions stored while a lost discount closed its link. */
    readonly isDiscountOptional?: boolean;
    readonly isDiscountLost?: boolean;
    /** Absent in sessions whose page is stored as a document of its own. */
    readonly pageHash?: string | null;
  };

type RecordDocument = SessionDocument | { readonly _id: string; readonly isTombstone: true };

/** Maps checkout sessions to documents. */
export const sessionDefinition: AggregateDefinition<SessionRecord> = {
  collection: 'checkoutSessions',
  aggregate: 'checkoutSession',
  resource: 'Checkout session',
  toDocument: toDocumentSession,
  fromDocument: (document) => fromDocumentSession(document as unknown as RecordDocument),
  indexes: [
    { name: 'product', keys: { productId: 1, createdAt: -1, _id: -1 } },
    { name: 'itemProduct', keys: { 'otherItems.productId': 1, createdAt: -1, _id: -1 } },
    { name: 'customer', keys: { customerId: 1, createdAt: -1, _id: -1 } },
    { name: 'link', keys: { checkoutLinkId: 1, createdAt: -1, _id: -1 } },
    { name: 'phase', keys: { phase: 1, createdAt: -1, _id: -1 } },
  ],
  dueAt: (record) => {
    const at = expiryOf(record);
    return at === undefined ? undefined : { at, workClass: 'COLLECTION' };
  },
  dueClass: 'COLLECTION',
  recoverAt: sessionResumeAt,
  stepsReached: (record) => (record.isTombstone ? [] : funnelStepsReached(record)),
};

/** Sessions of a list. */
export interface SessionFilter {
  readonly status?: SessionStatus | undefined;
  /** Product of any item. */
  readonly productId?: string | undefined;
  readonly checkoutLinkId?: string | undefined;
}

export type SessionStatus = 'OPEN' | 'COMPLETE' | 'EXPIRED';

const phasesOf: Readonly<Record<SessionStatus, readonly Session['phase'][]>> = {
  OPEN: ['READY', 'PAYING'],
  COMPLETE: ['COMPLETE'],
  EXPIRED: ['EXPIRED'],
};

/** Filter of one list of the database. */
export type SessionListFilter = Readonly<Record<string, unknown>>;

/** Filters of the sessions that were offered to a payer: their total became known. */
export function offeredSessions({
  status,
  productId,
  checkoutLinkId,
}: SessionFilter): readonly SessionListFilter[] {
  const offered = {
    total: { $gte: 0 },
    ...(productId !== undefined && {
      $or: [{ productId }, { 'otherItems.productId': productId }],
    }),
    ...(checkoutLinkId !== undefined && { checkoutLinkId }),
  };
  return status === undefined
    ? [offered]
    : phasesOf[status].map((phase) => ({ ...offered, phase }));
}

/**
 * A page of the sessions that match one of the filters, which exclude each other. Each is a list of
 * its own: for `$in`, some servers walk the index of all sessions instead.
 */
export async function listSessions(
  store: Pick<ReturnType<AggregateCollection<SessionRecord>['within']>, 'list'>,
  filters: readonly SessionListFilter[],
  { page, perPage, oldestFirst }: ReturnType<typeof readPage>,
): Promise<{ readonly data: readonly Stored<SessionRecord>[]; readonly total: number }> {
  const [only = {}, ...others] = filters;
  if (others.length === 0) return store.list({ filter: only, page, perPage, oldestFirst });
  // Sessions of several phases are open, and therefore few.
  const upTo = { page: 1, perPage: page * perPage, oldestFirst };
  const lists = await Promise.all(filters.map((filter) => store.list({ filter, ...upTo })));
  const direction = oldestFirst ? 1 : -1;
  const data = lists
    .flatMap((list) => list.data)
    .sort((a, b) => direction * inOrder(a, b))
    .slice((page - 1) * perPage, page * perPage);
  return { data, total: lists.reduce((sum, { total }) => sum + total, 0) };
}

function inOrder(a: Stored<SessionRecord>, b: Stored<SessionRecord>): number {
  const apart = a.createdAt.getTime() - b.createdAt.getTime();
  return apart === 0 ? (a.state.id < b.state.id ? -1 : 1) : apart;
}

function toDocumentSession(record: SessionRecord): Record<string, unknown> {
  const { id: _id, ...fields } = record;
  if (fields.isTombstone) return fields;
  const { payment, challenge, metadata, snapshots, otherItems, codes } = fields;
  return {
    ...nullable(fields),
    payment: payment === undefined ? null : nullable(payment),
    challenge: challenge === undefined ? null : nullable(challenge),
    metadata: JSON.stringify(metadata),
    snapshots: nullable(snapshots),
    codes: codes === undefined ? null : nullable(codes),
    otherItems: otherItems === undefined ? null : otherItems.map((item) => nullable(item)),
  };
}

function fromDocumentSession(document: RecordDocument): SessionRecord {
  if (document.isTombstone) return { id: document._id, isTombstone: true };
  const { payment, challenge, snapshots } = document;
  return {
    id: document._id,
    isTombstone: false,
    phase: document.phase,
    ...fromDocumentOffer(document),
    customerId: document.customerId,
    collectionMethod: document.collectionMethod,
    discountId: document.discountId ?? undefined,
    checkoutLinkId: document.checkoutLinkId ?? undefined,
    successUrl: document.successUrl ?? undefined,
    cancelUrl: document.cancelUrl ?? undefined,
    locale: document.locale ?? undefined,
    promisedDiscount: document.promisedDiscount ?? undefined,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
    snapshots: { ...snapshots, discount: snapshots.discount ?? undefined },
    expiresAt: document.expiresAt,
    abandonAt: document.abandonAt,
    refusal: document.refusal ?? undefined,
    endReason: document.endReason ?? undefined,
    invoiceId: document.invoiceId,
    total: document.total === null ? undefined : BigInt(document.total),
    payment: payment === null ? undefined : fromDocumentRunning(payment),
    challenge:
      challenge === null
        ? undefined
        : {
            ...fromDocumentPlan(challenge),
            attempt: Number(challenge.attempt),
            redirectUrl: challenge.redirectUrl ?? undefined,
          },
    lastPaymentError: document.lastPaymentError ?? undefined,
    completedAt: document.completedAt ?? undefined,
    subscriptionId: document.subscriptionId ?? undefined,
    isDelivered: document.isDelivered,
    isVoidAnnounced: document.isVoidAnnounced ?? false,
    isDiscountOptional: document.isDiscountOptional ?? false,
    isDiscountLost: document.isDiscountLost ?? false,
    pageHash: document.pageHash ?? undefined,
    allowsCodes: document.allowsCodes ?? undefined,
    codes: fromDocumentCodes(document.codes ?? null),
  };
}

function fromDocumentCodes(codes: CodesDocument | null): TypedCodes | undefined {
  if (codes === null) return undefined;
  const { round, wrong, replacements, held, replacedInvoiceId } = codes;
  return {
    round: Number(round),
    wrong: Number(wrong),
    replacements: Number(replacements),
    held: held === null ? undefined : { ...held, round: Number(held.round) },
    replacedInvoiceId: replacedInvoiceId ?? undefined,
  };
}

function fromDocumentOffer(document: SessionDocument): Offer {
  const { currency, recurrence } = document;
  if (!isCurrency(currency))
    throw new Error(`A session is in an unknown currency: ${String(currency)}`);
  const { billingInterval, intervalCount } = recurrence;
  return {
    productId: document.productId,
    productName: document.productName,
    productDescription: document.productDescription ?? undefined,
    priceId: document.priceId,
    currency,
    quantity: Number(document.quantity),
    recurrence: { billingInterval, intervalCount: Number(intervalCount) },
    trialDays: Number(document.trialDays),
    taxCategory: document.taxCategory ?? undefined,
    otherItems: document.otherItems?.map(fromDocumentItem),
  };
}

function fromDocumentItem(item: ItemDocument): OfferedItem {
  return {
    ...item,
    quantity: Number(item.quantity),
    productDescription: item.productDescription ?? undefined,
    taxCategory: item.taxCategory ?? undefined,
  };
}

function fromDocumentRunning({ claimedAt, latePayment, ...plan }: RunningDocument): RunningPayment {
  const late = typeof latePayment === 'object' ? undefined : latePayment;
  const number = late === undefined ? undefined : Number(late);
  return { ...fromDocumentPlan(plan), claimedAt, latePayment: number };
}

function fromDocumentPlan(plan: PlanDocument): PaymentPlan {
  const { paymentKey, paymentMethodId, returnUrl, expectedAmount } = plan;
  return {
    paymentKey,
    paymentMethodId: paymentMethodId ?? undefined,
    returnUrl,
    expectedAmount: typeof expectedAmount === 'bigint' ? expectedAmount : undefined,
  };
}
