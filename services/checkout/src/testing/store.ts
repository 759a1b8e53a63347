import type { Db } from 'mongodb';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { openAndCollect } from '../invoice/collection';
import { draft, type NewInvoice } from '../draft/draft';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { InvoiceNumberStore } from '../invoice/number/invoice-number-store';
import { invoiceWorkers } from '../collection/workers';
import { noProvider } from '../provider/no-provider';
import {
  payerDefinition,
  paymentMethodDefinition,
  PaymentMethodStore,
} from '../payment-method/store';
import { sandboxDisputeDefinition, SandboxDisputes } from '../provider/sandbox/disputes';
import { SandboxProvider } from '../provider/sandbox/provider';
import { ensureSandboxIndexes, SandboxBooks, SandboxStore } from '../provider/sandbox/store';
import { announcedInvoices } from '../announcement/invoice-event-message';
import {
  subscriptionMethodDefinition,
  SubscriptionMethodStore,
} from '../payment-method/subscription-method-store';
import { balancesOn } from './balance';
import { aClaim, aNewInvoice, asInvoice } from './invoice';

// Shared by the database tests: replicas of the service without relay and scanner, so that the
// tests run each step themselves.

/** Opens a database and the first replica on it. */
export async function openReplicas() {
  const configuration = testServiceConfiguration('checkout');
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 32 });
  const { db } = mongo;
  const aReplica = () => replicaOn(db);
  const replica = aReplica();
  await replica.invoices.ensureIndexes();
  await replica.numbers.ensureIndexes();
  await replica.entries.ensureIndexes();
  await ensureSandboxIndexes(db);
  const close = async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  };
  return { db, aReplica, replica, close, ...stepsOf(replica) };
}

export type Replicas = Awaited<ReturnType<typeof openReplicas>>;

/** The sandbox of an environment, as every replica opens it. */
export function sandboxOf(db: Db, environmentId: string): SandboxProvider {
  const store = new SandboxStore(new SandboxBooks(db), environmentId);
  const disputes = new AggregateCollection(db, sandboxDisputeDefinition, { clock: systemClock });
  const tenant = { organizationId: environmentId, environmentId, live: false, manualClock: true };
  return new SandboxProvider(store, environmentId, new SandboxDisputes(disputes, tenant));
}

export function inParallel<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}

// Each read advances the clock beyond all leases, so that tests wait for nothing.
let advancingNowMs = systemClock.now().getTime();
export const advancingClock: Clock = { now: () => new Date((advancingNowMs += 31_000)) };

export function replicaOn(db: Db, clock: Clock = advancingClock) {
  const dependencies = { clock: systemClock };
  const definition = announcedInvoices({ urlOf: () => '' });
  const invoices = new AggregateCollection<InvoiceRecord>(db, definition, dependencies);
  const methods = new PaymentMethodStore(
    new AggregateCollection(db, paymentMethodDefinition, dependencies),
    new AggregateCollection(db, payerDefinition, dependencies),
    new SubscriptionMethodStore(
      new AggregateCollection(db, subscriptionMethodDefinition, dependencies),
    ),
  );
  const numbers = new InvoiceNumberStore(db, () => null);
  const { balances, ...owned } = balancesOn(db);
  const { collection: worker, ...workers } = invoiceWorkers({
    invoices,
    numbers,
    balances,
    methods,
    clock,
    providerOf: ({ live, environmentId }) => (live ? noProvider : sandboxOf(db, environmentId)),
    retryDays: [3, 7, 14],
    logger: {
      warn: (facts: unknown) => {
        throw (facts as { err: unknown }).err;
      },
    },
  });
  return { db, invoices, methods, numbers, worker, balances, entries: owned.entries, ...workers };
}

function stepsOf({ db, invoices }: ReturnType<typeof replicaOn>) {
  const insertDraft = async (context: CallContext, input: Partial<NewInvoice> = {}) => {
    const id = newId();
    const ids = { id, subscriptionId: newId(), customerId: newId() };
    await invoices.within(context).insert(draft(aNewInvoice({ ...ids, ...input })));
    return id;
  };
  /** An invoice whose attempt was claimed by a process that then stopped. */
  const insertClaimed = async (context: CallContext, authorizedTransactionId: string) => {
    const id = await insertDraft(context, { authorizedTransactionId });
    const source = { kind: 'AUTHORIZATION', authorizedTransactionId } as const;
    const claim = aClaim({ source, claimedAt: systemClock.now() });
    await invoices
      .within(context)
      .mutate(id, (record, now) => openAndCollect(record, { ...claim, number: 'INV-000001', now }));
    return id;
  };
  const read = async (id: string, context: CallContext): Promise<Invoice> =>
    asInvoice((await invoices.within(context).get(id)).state);
  /** Number of the sandbox's charges for the invoice. */
  const charges = (id: string): Promise<number> =>
    db.collection<{ _id: string }>('sandboxCharges').countDocuments({ _id: { $regex: `^${id}:` } });
  /** Pending commands in the invoice's outbox. */
  const commandsOf = async (id: string): Promise<string[]> => {
    const document = await invoices.documents.findOne({ _id: id });
    const commands = (document?.outbox ?? []).filter(({ kind }) => kind === 'command');
    return commands.map(({ type }) => type);
  };
  return { insertDraft, insertClaimed, read, charges, commandsOf };
}
