import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { SubscriptionEvent, SubscriptionTransition } from './announcement';
import type { Decision } from './billing';
import { encodeEvent } from './events';
import { dueStep } from './renewals';
import type {
  LatestInvoice,
  OpenInvoice,
  PriceSnapshot,
  Subscription,
  SubscriptionStatus,
} from './subscription';

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

type PriceDocument = Omit<PriceSnapshot, 'amount' | 'intervalCount' | 'trialDays' | 'metadata'> & {
  readonly amount: Count;
  readonly intervalCount: Count;
  readonly trialDays: Count | null;
  readonly metadata: string;
};

type OpenInvoiceDocument = Omit<OpenInvoice, 'periodIndex' | 'lastResult'> & {
  readonly periodIndex: Count;
  readonly lastResult: Count;
};

type LatestInvoiceDocument = Omit<LatestInvoice, 'periodIndex'> & {
  readonly periodIndex: Count;
};

/** Metadata is stored as JSON text: its keys may contain dots, which mean paths to the database. */
type SubscriptionDocument = Omit<
  Subscription,
  'id' | 'price' | 'quantity' | 'metadata' | 'periodIndex' | 'openInvoices' | 'latestInvoice'
> & {
  readonly price: PriceDocument;
  readonly quantity: Count;
  readonly metadata: string;
  readonly periodIndex: Count | null;
  readonly openInvoices: readonly OpenInvoiceDocument[];
  readonly latestInvoice: LatestInvoiceDocument | null;
};

/** Subscriptions as documents. Their ids are their only natural key. */
export const subscriptionDefinition: AggregateDefinition<Subscription> = {
  collection: 'subscriptions',
  aggregate: 'subscription',
  resource: 'Subscription',
  // Lists are sorted as the indexes are.
  indexes: [
    { name: 'customer', keys: { 'customer.id': 1, createdAt: -1, _id: -1 } },
    { name: 'product', keys: { productId: 1, createdAt: -1, _id: -1 } },
    { name: 'status', keys: { status: 1, createdAt: -1, _id: -1 } },
  ],
  toDocument: toDocumentSubscription,
  fromDocument: (document) =>
    fromDocumentSubscription(document._id, document as unknown as SubscriptionDocument),
  dueAt: (subscription) => {
    const step = dueStep(subscription);
    if (step === undefined) return undefined;
    return { at: step.at, workClass: step.kind === 'END' ? 'END' : 'RENEWAL' };
  },
  encodeEvent: (event, stored) => encodeEvent(event as SubscriptionEvent, stored),
};

/** The filter of a list: those of a customer, to a product, in a status. */
export function subscriptionsWith({
  customerId,
  productId,
  status,
}: {
  readonly customerId?: string | undefined;
  readonly productId?: string | undefined;
  readonly status?: SubscriptionStatus | undefined;
}): Record<string, unknown> {
  return {
    ...(customerId !== undefined && { 'customer.id': customerId }),
    ...(productId !== undefined && { productId }),
    ...(status !== undefined && { status }),
  };
}

/** Changes a subscription by a rule; where a version is expected, that version alone. */
export function changeSubscription(
  subscriptions: AggregateCollection<Subscription>,
  id: string,
  context: CallContext,
  rule: (current: Subscription, decision: Decision) => SubscriptionTransition,
  expected: { readonly expectedVersion?: number } = {},
): Promise<Stored<Subscription>> {
  return subscriptions
    .within(context)
    .mutate(id, (current, now) => rule(current, decisionOn(id, context.tenant, now)), expected);
}

/** What a rule on the subscription is given from outside. */
export function decisionOn(id: string, { environmentId }: Tenant, now: Date): Decision {
  return {
    now,
    invoiceIdOf: (periodIndex) => derivedId(environmentId, id, 'period', periodIndex),
  };
}

function toDocumentSubscription({ id: _id, ...subscription }: Subscription): SubscriptionDocument {
  const { price, metadata } = subscription;
  return {
    ...subscription,
    price: { ...price, metadata: JSON.stringify(price.metadata) },
    metadata: JSON.stringify(metadata),
  };
}

function fromDocumentSubscription(id: string, document: SubscriptionDocument): Subscription {
  return {
    id,
    itemId: document.itemId,
    fingerprint: document.fingerprint,
    customer: document.customer,
    collectionMethod: document.collectionMethod,
    productId: document.productId,
    productName: document.productName,
    price: fromDocumentPrice(document.price),
    quantity: Number(document.quantity),
    authorizedTransactionId: document.authorizedTransactionId,
    isAuthorizing: document.isAuthorizing,
    metadata: readMetadata(document.metadata),
    status: document.status,
    phase: document.phase,
    startAt: document.startAt,
    trialStart: document.trialStart,
    trialEnd: document.trialEnd,
    anchor: document.anchor,
    periodIndex: document.periodIndex === null ? null : Number(document.periodIndex),
    cancelAtPeriodEnd: document.cancelAtPeriodEnd,
    canceledAt: document.canceledAt,
    endedAt: document.endedAt,
    cancelReason: document.cancelReason,
    openInvoices: document.openInvoices.map(fromDocumentOpenInvoice),
    latestInvoice: fromDocumentLatestInvoice(document.latestInvoice),
  };
}

function fromDocumentPrice(price: PriceDocument): PriceSnapshot {
  const { amount, intervalCount, trialDays, metadata } = price;
  return {
    ...price,
    amount: BigInt(amount),
    intervalCount: Number(intervalCount),
    trialDays: trialDays === null ? null : Number(trialDays),
    tiers: price.tiers ?? null,
    metadata: readMetadata(metadata),
  };
}

function fromDocumentOpenInvoice(invoice: OpenInvoiceDocument): OpenInvoice {
  const { periodIndex, lastResult } = invoice;
  return { ...invoice, periodIndex: Number(periodIndex), lastResult: Number(lastResult) };
}

function fromDocumentLatestInvoice(latest: LatestInvoiceDocument | null): LatestInvoice | null {
  return latest === null ? null : { id: latest.id, periodIndex: Number(latest.periodIndex) };
}

function readMetadata(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
