import type { Db } from 'mongodb';
import type { Aggregates } from '../database/aggregates';
import { databaseOf, type ServiceDatabase } from '../database/databases';
import type {
  CheckedFacts,
  CreditNoteFacts,
  Finding,
  InvoiceFacts,
  SessionFacts,
  SubscriptionFacts,
} from './check';
import { readDeletedEnvironments } from './deleted-environments';
import { readLostChanges } from './lost-changes';
import { countPending, readUsedEnvironments } from './pending-messages';

/** Filter of documents whose environment is not being deleted. */
interface Living {
  readonly environmentId: { readonly $nin: readonly string[] };
}

interface StoredInvoice {
  readonly _id: string;
  readonly isTombstone?: boolean;
  readonly environmentId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly billingReason: string;
  readonly status: string;
  readonly number: string | null;
  readonly periodStart: Date | null;
  readonly creditNotes?: readonly { readonly id: string; readonly number: string | null }[];
}

interface StoredSubscription {
  readonly _id: string;
  readonly environmentId: string;
  readonly isTombstone?: boolean;
  readonly customer?: { readonly id: string };
  readonly items?: readonly {
    readonly productId: string;
    readonly price: { readonly id: string };
  }[];
  readonly latestInvoice?: { readonly id: string } | null;
}

interface StoredSession {
  readonly _id: string;
  readonly environmentId: string;
  readonly phase: string;
  readonly invoiceId: string;
  readonly subscriptionId?: string | null;
}

interface StoredCreditNote {
  readonly _id: string;
  readonly environmentId: string;
  readonly invoiceId: string;
}

/** Charge of the provider for which the system has no invoice, or one of another amount. */
interface StoredCharge {
  readonly _id: string;
  readonly restoreId: string;
  readonly provider: string;
  readonly providerPaymentId: string;
  readonly amount: bigint | number;
  readonly currency: string;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly finding?: string;
}

/** Charge as the report has it; amounts are minor units. */
export interface UnmatchedCharge {
  readonly provider: string;
  readonly providerPaymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Why the charge is a finding, too; absent: it has no invoice. */
  readonly finding?: string;
}

/**
 * Reads what the check of a closed system compares. Environments whose deletion has begun are left
 * out: parts of them are gone.
 */
export async function readCheckedFacts(
  databases: readonly ServiceDatabase[],
  aggregates: readonly Aggregates[],
): Promise<CheckedFacts> {
  const of = (service: string) => databaseOf(databases, service);
  const deleted = await readDeletedEnvironments(databases);
  const living: Living = { environmentId: { $nin: deleted } };
  const { invoices, creditNotesOfInvoices } = await readInvoices(of('checkout'), living);
  return {
    customers: await readIds(of('customer'), 'customers'),
    products: await readIds(of('catalog'), 'products'),
    prices: await readPrices(of('catalog')),
    subscriptions: await readSubscriptions(of('subscription'), living),
    invoices,
    creditNotes: await readCreditNotes(of('checkout'), living, creditNotesOfInvoices),
    completeSessions: await readCompleteSessions(of('checkout'), living),
    lostChanges: await readLostChanges(databases, living),
    environments: new Set([...(await readIds(of('identity'), 'environments')), ...deleted]),
    usedEnvironments: await readUsedEnvironments(aggregates),
    pending: await countPending(aggregates),
  };
}

async function readIds(db: Db, collection: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const found = db.collection<{ _id: string }>(collection).find({}, { projection: { _id: 1 } });
  for await (const { _id: id } of found) ids.add(id);
  return ids;
}

async function readPrices(db: Db): Promise<ReadonlySet<string>> {
  const ids = new Set(await readIds(db, 'supersededPrices'));
  const products = db.collection<{ readonly price: { readonly id: string } }>('products');
  const found = products.find({}, { projection: { 'price.id': 1 } });
  for await (const { price } of found) ids.add(price.id);
  return ids;
}

async function readSubscriptions(db: Db, living: Living): Promise<SubscriptionFacts[]> {
  const facts: SubscriptionFacts[] = [];
  const projection = { isTombstone: 1, customer: 1, items: 1, latestInvoice: 1 };
  for await (const stored of db
    .collection<StoredSubscription>('subscriptions')
    .find(living, { projection })) {
    const { _id: id, isTombstone, customer, latestInvoice } = stored;
    if (isTombstone === true || customer === undefined) continue;
    const items = (stored.items ?? []).map(({ productId, price }) => {
      return { productId, priceId: price.id };
    });
    const latestInvoiceId = latestInvoice?.id ?? null;
    facts.push({ id, customerId: customer.id, items, latestInvoiceId });
  }
  return facts;
}

async function readCompleteSessions(db: Db, living: Living): Promise<SessionFacts[]> {
  const found = await db
    .collection<StoredSession>('checkoutSessions')
    .find({ ...living, phase: 'COMPLETE' }, { projection: { invoiceId: 1, subscriptionId: 1 } })
    .toArray();
  return found.map(({ _id: id, invoiceId, subscriptionId = null }) => {
    return { id, invoiceId, subscriptionId };
  });
}

const reasonsOfPeriods: ReadonlySet<string> = new Set([
  'SUBSCRIPTION_CREATE',
  'SUBSCRIPTION_CYCLE',
]);

async function readInvoices(db: Db, living: Living) {
  const invoices: InvoiceFacts[] = [];
  const creditNotesOfInvoices = new Map<string, string | null>();
  const found = db
    .collection<StoredInvoice>('invoices')
    .find(living, { projection: { lineItems: 0, payments: 0, outbox: 0, finalization: 0 } });
  for await (const { _id: id, isTombstone, creditNotes = [], ...invoice } of found) {
    if (isTombstone === true) continue;
    const { environmentId, customerId, subscriptionId, status, number, periodStart } = invoice;
    const billsPeriod = reasonsOfPeriods.has(invoice.billingReason);
    const periodFrom = billsPeriod ? (periodStart?.getTime() ?? null) : null;
    const ids = { id, environmentId, customerId, subscriptionId };
    invoices.push({ ...ids, status, number, periodFrom });
    for (const note of creditNotes) creditNotesOfInvoices.set(note.id, note.number);
  }
  return { invoices, creditNotesOfInvoices };
}

async function readCreditNotes(
  db: Db,
  living: Living,
  numbers: ReadonlyMap<string, string | null>,
): Promise<CreditNoteFacts[]> {
  const found = await db.collection<StoredCreditNote>('creditNotes').find(living).toArray();
  return found.map(({ _id: id, environmentId, invoiceId }) => {
    return { id, environmentId, invoiceId, number: numbers.get(id) ?? null };
  });
}

const unknownOrganization =
  'Its organization is not known: it was created after the instant, or belongs to another installation that uses this account';

/** Charges that the step `match` could not record on an invoice. */
export async function readUnmatchedCharges(
  databases: readonly ServiceDatabase[],
  restoreId: string,
): Promise<UnmatchedCharge[]> {
  const charges = databaseOf(databases, 'checkout').collection<StoredCharge>('unmatchedCharges');
  const found = await charges.find({ restoreId }).sort({ createdAt: 1 }).toArray();
  const organizations = await readIds(databaseOf(databases, 'identity'), 'organizations');
  return found.map(({ provider, providerPaymentId, amount, currency, metadata, ...charge }) => {
    const isKnown = organizations.has(metadata['billing_organization_id'] ?? '');
    const finding = charge.finding ?? (isKnown ? undefined : unknownOrganization);
    return {
      provider,
      providerPaymentId,
      amount: Number(amount),
      currency,
      createdAt: charge.createdAt.toISOString(),
      metadata,
      ...(finding !== undefined && { finding }),
    };
  });
}

/** I63: charges that should be on an invoice, and are not. */
export function findingsOf(charges: readonly UnmatchedCharge[]): Finding[] {
  return charges.flatMap(({ provider, providerPaymentId, finding }) =>
    finding === undefined
      ? []
      : [{ invariant: 'I63', text: `charge ${providerPaymentId} of ${provider}: ${finding}` }],
  );
}
