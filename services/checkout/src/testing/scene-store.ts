import { AggregateCollection, type CommandHandler } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { testContext } from '@billing/chassis/testing';
import { BillingInterval, Price, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { invoiceCommands } from '../commands';
import { CreditNoteWorker } from '../credit-note/credit-note-worker';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { CreditRowStore } from '../refund/credit-row-store';
import { RefundWorker } from '../refund/refund-worker';
import { createSession, type Session, type SessionRecord } from '../sales/session';
import { sessionCommands } from '../sales/commands';
import { priceSnapshot } from '../peer/product';
import { sessionEventEncoder } from '../sales/events';
import { SessionPreparer } from '../sales/session-preparation-worker';
import { sessionDefinition } from '../sales/session-store';
import { SessionWorker } from '../sales/session-worker';
import { brandingDefinition, BrandingStore } from '../seller/branding-store';
import { billingSettingsDefinition, BillingSettingsStore } from '../seller/billing-settings-store';
import { asInvoice } from './invoice';
import { aNewSession, asSession } from './session';
import { advancingClock, replicaOn, type Replicas, sandboxOf } from './store';

// Scenes for crash tests: a session and its invoice, and processes that work on them without relay
// and scanner.

/** Creation time of a scene's session; it expires a day later. */
const sceneStart = new Date('2026-03-01T12:00:00.000Z');
export const sceneEnd = new Date('2026-03-02T12:00:00.000Z');

export interface Scene {
  readonly context: CallContext;
  readonly sessionId: string;
  readonly invoiceId: string;
  readonly customerId: string;
}

/** Final state of a scene. */
export interface SceneEnd {
  readonly session: Session;
  readonly invoice: Invoice;
  readonly charges: number;
}

export type SceneProcess = ReturnType<typeof processOn>;

/**
 * A process of checkout with the parts for sessions. Of the other services a scene calls only
 * customer, to fix a currency and to know the customers in `deleted` as deleted.
 */
export function processOn(db: Replicas['db']) {
  const { worker: collection, ...replica } = replicaOn(db);
  const { invoices, sessionInvoices } = replica;
  const storeDependencies = { clock: systemClock };
  const pages = { urlOf: () => '' };
  const peers = { customer: { fixCurrency: () => Promise.resolve({}) } };
  const definition = { ...sessionDefinition, encodeEvent: sessionEventEncoder(pages) };
  const sessions = new AggregateCollection<SessionRecord>(db, definition, storeDependencies);
  const settings = new BillingSettingsStore(
    new AggregateCollection(db, billingSettingsDefinition, storeDependencies),
    new BrandingStore(new AggregateCollection(db, brandingDefinition, storeDependencies)),
  );
  const dependencies = {
    ...{ sessions, invoices, sessionInvoices, settings, pages },
    peers: peers as never,
  };
  const logger = createLogger({ service: 'test', level: 'silent' });
  const preparer = new SessionPreparer({ ...dependencies, logger });
  const worker = new SessionWorker({
    ...{ sessions, invoices: sessionInvoices, clock: advancingClock },
    openInvoice: (session, context) => preparer.invoiceOf(session, context),
    logger,
  });
  const deleted = new Set<string>();
  const isCustomerDeleted = (customerId: string) => Promise.resolve(deleted.has(customerId));
  const refunds = refundsOn(replica, isCustomerDeleted);
  const creditNotes = new CreditNoteWorker({
    ...{ ...replica, clock: advancingClock, logger, isCustomerDeleted, refunds },
  });
  const commands = sessionCommands({ ...dependencies, preparer, creditNotes, logger });
  const ofInvoices = invoiceCommands({
    ...{ ...replica, ...dependencies, worker: collection, sessions: worker, creditNotes },
    ...{ refunds, logger },
  });
  const workers = { worker, preparer, creditNotes, refunds };
  return { ...replica, collection, sessions, ...workers, commands, ofInvoices, deleted };
}

function refundsOn(
  { db, invoices, balances }: Pick<ReturnType<typeof replicaOn>, 'db' | 'invoices' | 'balances'>,
  isCustomerDeleted: (customerId: string) => Promise<boolean>,
): RefundWorker {
  return new RefundWorker({
    ...{ invoices, balances, isCustomerDeleted, clock: advancingClock },
    rows: new CreditRowStore(db),
    providerOf: ({ environmentId }) => sandboxOf(db, environmentId),
    onUnknown: (error) => {
      throw error;
    },
    onUnknownDispute: () => undefined,
  });
}

/** A session for a one-time purchase of 29.00 USD, with all its work still to do. */
export async function aScene({ sessions }: SceneProcess): Promise<Scene> {
  const context = testContext({ now: sceneStart });
  const [sessionId, invoiceId, customerId] = [newId(), newId(), newId()];
  const price = Price.fromPartial({
    id: newId(),
    type: PricingType.PRICING_TYPE_FLAT,
    currency: 'USD',
    amount: 2900n,
    billingInterval: BillingInterval.BILLING_INTERVAL_ONE_TIME,
    intervalCount: 1,
  });
  const input = aNewSession({
    id: sessionId,
    invoiceId,
    customerId,
    subscriptionId: undefined,
    recurrence: { billingInterval: 'ONE_TIME', intervalCount: 1 },
    snapshots: { customer: '{}', price: priceSnapshot.write(price), discount: undefined },
  });
  await sessions.within(context).insert(createSession(input, sceneStart));
  return { context, sessionId, invoiceId, customerId };
}

/**
 * Does the work of relay and scanner: carries out waiting commands, and resumes unfinished work.
 */
export async function finish(process: SceneProcess, scene: Scene): Promise<void> {
  const { sessions, invoices, collection, worker, commands, ofInvoices } = process;
  const { context, sessionId, invoiceId } = scene;
  const preferMethod: CommandHandler = () => Promise.resolve();
  const handlers = { ...ofInvoices, preferMethod };
  await carryOut(sessions, sessionId, commands, context);
  const isMade = (await invoices.within(context).find(invoiceId)) !== undefined;
  if (isMade) await collection.resume(invoiceId, context);
  const { state } = await sessions.within(context).get(sessionId);
  if (asSession(state).phase === 'PAYING') await worker.resume(sessionId, context);
  if (isMade) await carryOut(invoices, invoiceId, handlers, context);
  await carryOut(sessions, sessionId, commands, context);
}

/** State of session and invoice, and the number of their charges at the provider. */
export async function endOf(
  { db, sessions, invoices }: SceneProcess,
  { context, sessionId, invoiceId }: Scene,
): Promise<SceneEnd> {
  const session = asSession((await sessions.within(context).get(sessionId)).state);
  const invoice = asInvoice((await invoices.within(context).get(invoiceId)).state);
  const charges = await db
    .collection<{ _id: string }>('sandboxCharges')
    .countDocuments({ _id: { $regex: `^${invoiceId}:` } });
  return { session, invoice, charges };
}

async function carryOut<S extends SessionRecord | InvoiceRecord>(
  { documents }: AggregateCollection<S>,
  id: string,
  handlers: Readonly<Record<string, CommandHandler>>,
  context: CallContext,
): Promise<void> {
  for (;;) {
    const { outbox = [] } = (await documents.findOne({ _id: id })) ?? {};
    const next = outbox.find(({ kind }) => kind === 'command');
    if (next === undefined) return;
    const handler = handlers[next.type];
    if (handler === undefined) throw new Error(`No handler for ${next.type}`);
    const { sequence } = next;
    await handler(next.payload as never, { context, aggregateId: id, sequence });
    const done = { kind: 'command', sequence };
    await documents.updateOne({ _id: id }, { $pull: { outbox: done } } as never);
  }
}
