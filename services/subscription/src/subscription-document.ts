import type { AggregateDefinition, WorkClass } from '@billing/chassis/aggregate';
import { encodeEvent } from './events';
import { type DueStep, dueStep } from './lifecycle/due-steps';
import { parkedFor, type ParkReason } from './parking/parking';
import {
  fromDocumentOverLimit,
  type OverLimitFields,
  toDocumentOverLimit,
} from './storage/over-limit-document';
import type { SubscriptionEvent } from './subscription/announcement';
import type { BillingCycle } from './subscription/billing-cycle';
import type { OverLimitState } from './subscription/over-limit-state';
import { stepsReached } from './subscription/reached-step';
import type { LatestInvoice, OpenInvoice, Subscription } from './subscription/subscription';
import type { ChangeDocument } from './storage/change-document';
import type { ChangeFieldsDocument } from './storage/change-fields-document';
import {
  type CancellationDocument,
  type ChangesDocument,
  fromDocumentChanges,
  type PutOffLinesDocument,
  toDocumentChanges,
} from './storage/changes-document';
import { type DiscountDocument, fromDocumentDiscount } from './storage/discount-document';
import {
  type Count,
  fromDocumentItems,
  type ItemDocument,
  type PriceDocument,
  readMetadata,
  toDocumentItem,
} from './storage/item-document';
import { withScheduled } from './storage/scheduled-change-document';
import type { SubscriptionRecord, Tombstone } from './subscription/tombstone';
import { type CycleEndBill, noUsageBilling, type UsageBilling } from './subscription/usage-billing';
import {
  decideStretches,
  type MeteredItem,
  type UsageStretch,
  withoutPlanned,
} from './subscription/usage-stretch';

type OpenInvoiceDocument = Omit<OpenInvoice, 'periodIndex' | 'lastResult'> & {
  readonly periodIndex: Count;
  readonly lastResult: Count;
};

type LatestInvoiceDocument = Omit<LatestInvoice, 'periodIndex'> & {
  readonly periodIndex: Count | null;
};

type CycleDocument = Omit<BillingCycle, 'firstPeriod' | 'intervalCount' | 'end'> & {
  readonly firstPeriod: Count;
  readonly intervalCount: Count;
  readonly end: { readonly lastPeriod: Count; readonly at: Date } | null;
};

/** Metadata is stored as JSON text: its keys may contain dots, which mean paths to the database. */
type SubscriptionDocument = Omit<
  Subscription,
  | 'id'
  | 'items'
  | 'changes'
  | 'cycles'
  | 'discount'
  | 'pausedAt'
  | 'resumeAt'
  | 'metadata'
  | 'periodIndex'
  | 'endedBeforeStart'
  | 'openInvoices'
  | 'latestInvoice'
  | 'warnedOf'
  | 'usage'
  | 'stretches'
  | 'cycleEndBills'
  | 'formerBuyer'
> & {
  /** Absent in documents of earlier releases. */
  readonly endedBeforeStart?: boolean;
  /** Absent in documents of earlier releases, which have the fields of their only item instead. */
  readonly items?: readonly ItemDocument[];
  /** Absent in documents of earlier releases. */
  readonly changes?: ChangesDocument;
  /** Absent: null. */
  readonly cancellation?: CancellationDocument;
  /** Absent in documents of earlier releases. */
  readonly putOff?: readonly PutOffLinesDocument[];
  /** Absent in documents of earlier releases. */
  readonly changeFields?: readonly ChangeFieldsDocument[];
  /** Absent in documents of earlier releases. */
  readonly scheduledChange?: ChangeDocument | null;
  /** Absent in documents of earlier releases. */
  readonly itemRates?: readonly ItemRatesDocument[];
  /** Absent in documents of earlier releases. */
  readonly cycles?: readonly CycleDocument[];
  /** Absent in documents of earlier releases. */
  readonly pausedAt?: Date | null;
  readonly resumeAt?: Date | null;
  /** Absent in documents that were stored before discounts. */
  readonly discount?: DiscountDocument | null;
  readonly metadata: string;
  /** Derived from the subscription with every write; absent in documents of earlier releases. */
  readonly parkedFor?: ParkReason | null;
  readonly periodIndex: Count | null;
  readonly openInvoices: readonly OpenInvoiceDocument[];
  readonly latestInvoice: LatestInvoiceDocument | null;
  /** Absent in documents of earlier releases. */
  readonly warnedOf?: Date | null;
  /** Absent in documents that were stored before usage was billed. */
  readonly usage?: UsageDocument;
  /** Absent: none. */
  readonly stretches?: readonly StretchDocument[];
  /** Absent: none. */
  readonly cycleEndBills?: readonly CycleEndBillDocument[];
  /** Absent in documents of subscriptions whose customer was never deleted. */
  readonly formerBuyer?: string | null;
};

type StretchDocument = Omit<UsageStretch, 'from' | 'through' | 'items'> & {
  readonly from: Count;
  readonly through: Count;
  readonly items: readonly (MeteredItem & { readonly set?: Count; readonly pricedAt?: Date })[];
};

type CycleEndBillDocument = Omit<CycleEndBill, 'periodIndex' | 'discount'> & {
  readonly periodIndex: Count;
  readonly discount: DiscountDocument | null;
};

/**
 * Sets of meter prices of the items after the main one, by the first period of their rates. 0.1.0
 * rewrites `usage` without them, and leaves other fields as they are.
 */
interface ItemRatesDocument {
  readonly from: Count;
  readonly others: readonly { readonly productId: string; readonly set: Count }[];
}

type UsageDocument = Omit<
  UsageBilling,
  'rates' | 'lastBill' | 'refunds' | 'lateRound' | keyof OverLimitState
> &
  OverLimitFields & {
    readonly lastBill: Count | null;
    readonly lateRound?: Count;
    readonly refunds: readonly (Omit<UsageBilling['refunds'][number], 'amount'> & {
      readonly amount: Count;
    })[];
    readonly rates: readonly {
      readonly from: Count;
      readonly through: Count;
      readonly set: Count;
      /** Absent for a subscription with one item. */
      readonly others?: ItemRatesDocument['others'];
    }[];
  };

/** The only item, as earlier releases have stored it. */
interface OnlyItemDocument {
  readonly itemId: string;
  readonly productId: string;
  readonly productName: string;
  readonly price: PriceDocument;
  readonly quantity: Count;
}

// A field that a write omits would keep the value of an earlier release.
const noOnlyItem: Readonly<Record<keyof OnlyItemDocument, null>> = {
  itemId: null,
  productId: null,
  productName: null,
  price: null,
  quantity: null,
};

type RecordDocument = SubscriptionDocument | Omit<Tombstone, 'id'>;

// Only renewals are counted as such. At one instant warnings go first, then ends, then renewals.
const workClasses: Readonly<Record<DueStep['kind'], WorkClass>> = {
  WARN: 'COLLECTION',
  END: 'END',
  BILL_AGAIN: 'END',
  START_TRIAL: 'RENEWAL',
  ENTER_PERIOD: 'RENEWAL',
  RESUME: 'RENEWAL',
  BILL_LATE: 'RENEWAL',
};

/** Subscriptions as documents. Their ids are their only natural key. */
export const subscriptionDefinition: AggregateDefinition<SubscriptionRecord> = {
  collection: 'subscriptions',
  aggregate: 'subscription',
  resource: 'Subscription',
  // Lists are sorted as the indexes are. Tombstones have none of these fields, and are too few to
  // need a partial index.
  indexes: [
    { name: 'customer', keys: { 'customer.id': 1, createdAt: -1, _id: -1 } },
    { name: 'itemProduct', keys: { 'items.productId': 1, createdAt: -1, _id: -1 } },
    // Index of documents of earlier releases.
    { name: 'product', keys: { productId: 1, createdAt: -1, _id: -1 } },
    // Price migrations read in the order of ids.
    { name: 'itemPrice', keys: { 'items.price.id': 1, _id: 1 } },
    // Index of documents of earlier releases.
    { name: 'price', keys: { 'price.id': 1, _id: 1 } },
    { name: 'migrationChange', keys: { 'changeFields.migrationId': 1, _id: 1 } },
    // Index of documents that were stored before `changeFields`.
    { name: 'migration', keys: { 'changes.waiting.migrationId': 1, _id: 1 } },
    { name: 'status', keys: { status: 1, createdAt: -1, _id: -1 } },
    { name: 'parked', keys: { parkedFor: 1, createdAt: -1, _id: -1 } },
  ],
  fixedFields: ['isTombstone'],
  toDocument: toDocumentRecord,
  fromDocument: (document) =>
    fromDocumentRecord(document._id, document as unknown as RecordDocument),
  dueAt: (record) => {
    const step = record.isTombstone ? undefined : dueStep(record);
    if (step === undefined) return undefined;
    return { at: step.at, workClass: workClasses[step.kind] };
  },
  // Since warnings.
  scheduleRevision: 1,
  stepsReached: (record) => (record.isTombstone ? [] : stepsReached(record)),
  encodeEvent: (event, stored) => encodeEvent(event as SubscriptionEvent, stored),
};

function toDocumentRecord(record: SubscriptionRecord): RecordDocument {
  return record.isTombstone ? { isTombstone: true } : toDocumentSubscription(record);
}

function fromDocumentRecord(id: string, document: RecordDocument): SubscriptionRecord {
  return document.isTombstone ? { isTombstone: true, id } : fromDocumentSubscription(id, document);
}

function toDocumentSubscription(state: Subscription): SubscriptionDocument {
  const { id: _id, formerBuyer: _formerBuyer, ...subscription } = state;
  const { items, usage, metadata } = subscription;
  return {
    ...subscription,
    parkedFor: parkedFor(state),
    items: items.map(toDocumentItem),
    usage: toDocumentUsage(usage),
    ...toDocumentChanges(state),
    itemRates: usage.rates.flatMap(({ from, others }) =>
      others === undefined ? [] : [{ from, others }],
    ),
    metadata: JSON.stringify(metadata),
    ...noOnlyItem,
    // A field that a write omits would keep its value.
    ...('formerBuyer' in state && { formerBuyer: state.formerBuyer ?? null }),
  };
}

function fromDocumentSubscription(id: string, document: SubscriptionDocument): Subscription {
  // An earlier release does not drop the stretch of a change that was not paid.
  const stored = decideStretches(withScheduled(readSubscription(id, document), document));
  return stored.changes.paying === null ? withoutPlanned(stored) : stored;
}

function readSubscription(id: string, document: SubscriptionDocument): Subscription {
  return {
    isTombstone: false,
    id,
    fingerprint: document.fingerprint,
    customer: document.customer,
    collectionMethod: document.collectionMethod,
    items: fromDocumentItems(document.items ?? [onlyItem(document as unknown as OnlyItemDocument)]),
    discount: fromDocumentDiscount(document.discount),
    authorizedTransactionId: document.authorizedTransactionId,
    isAuthorizing: document.isAuthorizing,
    metadata: readMetadata(document.metadata),
    status: document.status,
    phase: document.phase,
    startAt: document.startAt,
    trialStart: document.trialStart,
    trialEnd: document.trialEnd,
    anchor: document.anchor,
    cycles: (document.cycles ?? []).map(fromDocumentCycle),
    periodIndex: document.periodIndex === null ? null : Number(document.periodIndex),
    pausedAt: document.pausedAt ?? null,
    resumeAt: document.resumeAt ?? null,
    cancelAtPeriodEnd: document.cancelAtPeriodEnd,
    canceledAt: document.canceledAt,
    endedAt: document.endedAt,
    endedBeforeStart: document.endedBeforeStart ?? endedBeforeStartOf(document),
    cancelReason: document.cancelReason,
    openInvoices: document.openInvoices.map(fromDocumentOpenInvoice),
    latestInvoice: fromDocumentLatestInvoice(document.latestInvoice),
    warnedOf: document.warnedOf ?? null,
    usage: fromDocumentUsage(document),
    changes: fromDocumentChanges(document),
    ...(document.reservedInvoiceId !== undefined && {
      reservedInvoiceId: document.reservedInvoiceId,
    }),
    ...(document.unparkedAt !== undefined && { unparkedAt: document.unparkedAt }),
    ...(typeof document.formerBuyer === 'string' && { formerBuyer: document.formerBuyer }),
    ...(document.stretches !== undefined && {
      stretches: document.stretches.map(fromDocumentStretch),
    }),
    ...(document.cycleEndBills !== undefined && {
      cycleEndBills: document.cycleEndBills.map(fromDocumentCycleEndBill),
    }),
  };
}

function fromDocumentStretch(stretch: StretchDocument): UsageStretch {
  const { from, through, start, items, paidBy } = stretch;
  return {
    ...{ from: Number(from), through: Number(through), start },
    ...(paidBy !== undefined && { paidBy }),
    items: items.map(({ set, pricedAt, ...item }) => {
      if (pricedAt !== undefined) return { ...item, pricedAt };
      return { ...item, set: Number(set) };
    }),
  };
}

function fromDocumentCycleEndBill(bill: CycleEndBillDocument): CycleEndBill {
  const { periodIndex, discount } = bill;
  return {
    ...bill,
    periodIndex: Number(periodIndex),
    discount: fromDocumentDiscount(discount),
  };
}

function onlyItem({ itemId: id, ...item }: OnlyItemDocument): ItemDocument {
  const { productId, productName, price, quantity } = item;
  return { id, productId, productName, price, quantity };
}

// Absent in documents of earlier releases. A trial may have ended at its first instant.
function endedBeforeStartOf(document: SubscriptionDocument): boolean {
  const { periodIndex, trialStart, endedAt, startAt } = document;
  if (periodIndex !== null || endedAt === null) return false;
  return trialStart === null ? endedAt <= startAt : endedAt < startAt;
}

function fromDocumentCycle(cycle: CycleDocument): BillingCycle {
  const { firstPeriod, intervalCount, end } = cycle;
  return {
    ...cycle,
    firstPeriod: Number(firstPeriod),
    intervalCount: Number(intervalCount),
    end: end === null ? null : { ...end, lastPeriod: Number(end.lastPeriod) },
  };
}

function fromDocumentOpenInvoice(invoice: OpenInvoiceDocument): OpenInvoice {
  const { periodIndex, lastResult } = invoice;
  return { ...invoice, periodIndex: Number(periodIndex), lastResult: Number(lastResult) };
}

function fromDocumentLatestInvoice(latest: LatestInvoiceDocument | null): LatestInvoice | null {
  if (latest === null) return null;
  const { id, periodIndex } = latest;
  return { id, periodIndex: periodIndex === null ? null : Number(periodIndex) };
}

function toDocumentUsage({ overLimit, unbilled, ...usage }: UsageBilling): UsageDocument {
  return { ...usage, ...toDocumentOverLimit({ overLimit, unbilled }) };
}

function fromDocumentUsage({
  usage,
  itemRates = [],
}: Pick<SubscriptionDocument, 'usage' | 'itemRates'>): UsageBilling {
  if (usage === undefined) return noUsageBilling;
  const othersFrom = (first: number) =>
    itemRates.find(({ from }) => Number(from) === first)?.others;
  const rates = usage.rates.map(({ through, set, ...rate }) => {
    const from = Number(rate.from);
    const others = rate.others ?? othersFrom(from);
    return {
      ...{ from, through: Number(through), set: Number(set) },
      ...(others !== undefined && {
        others: others.map(({ productId, set: other }) => ({ productId, set: Number(other) })),
      }),
    };
  });
  const { lastBill, lateBillAt, lateRound } = usage;
  return {
    rates,
    lastBill: lastBill === null ? null : Number(lastBill),
    refunds: usage.refunds.map((refund) => ({ ...refund, amount: BigInt(refund.amount) })),
    lateBillAt,
    ...(lateRound !== undefined && { lateRound: Number(lateRound) }),
    ...fromDocumentOverLimit(usage),
  };
}
