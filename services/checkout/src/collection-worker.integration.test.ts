import { openActivity } from '@billing/chassis/activity';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { openAndCollect } from './collection';
import { CollectionWorker } from './collection-worker';
import { aLine, aNewInvoice, shown } from './example-invoice';
import { draft, type Invoice, type InvoiceRecord, type NewInvoice } from './invoice';
import { InvoiceNumberStore } from './invoice-number-store';
import { noProvider } from './no-provider';
import {
  payerDefinition,
  paymentMethodDefinition,
  PaymentMethodStore,
} from './payment-method-store';
import { SandboxProvider } from './sandbox-provider';
import { ensureSandboxIndexes, SandboxStore } from './sandbox-store';
import { invoiceDefinition } from './store';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;

/** What one process has of the service, without relay and scanner: the tests take each step themselves. */
function aReplica() {
  const { db } = mongo;
  const surroundings = { clock: systemClock, activity: openActivity(db) };
  const invoices = new AggregateCollection<InvoiceRecord>(db, invoiceDefinition, surroundings);
  const methods = new PaymentMethodStore(
    new AggregateCollection(db, paymentMethodDefinition, surroundings),
    new AggregateCollection(db, payerDefinition, surroundings),
  );
  const numbers = new InvoiceNumberStore(db);
  const worker = new CollectionWorker({
    invoices,
    numbers,
    methods,
    clock: systemClock,
    providerOf: ({ live, environmentId }) =>
      live ? noProvider : new SandboxProvider(new SandboxStore(db, environmentId), environmentId),
  });
  return { invoices, methods, numbers, worker };
}

type Replica = ReturnType<typeof aReplica>;
let replica: Replica;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 32 });
  replica = aReplica();
  await replica.invoices.ensureIndexes();
  await replica.numbers.ensureIndexes();
  await ensureSandboxIndexes(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

async function insertDraft(context: CallContext, input: Partial<NewInvoice> = {}): Promise<string> {
  const id = newId();
  const ids = { id, subscriptionId: newId(), customerId: newId() };
  await replica.invoices.within(context).insert(draft(aNewInvoice({ ...ids, ...input })));
  return id;
}

/** An invoice whose attempt was claimed by a process that then stopped. */
async function insertClaimed(context: CallContext, input: Partial<NewInvoice>): Promise<string> {
  const id = await insertDraft(context, input);
  const authorizedTransactionId = input.authorizedTransactionId ?? 'txn_1';
  await replica.invoices.within(context).mutate(id, (record, now) =>
    openAndCollect(record, {
      number: 'INV-000001',
      source: { kind: 'AUTHORIZATION', authorizedTransactionId },
      now,
      claimedAt: systemClock.now(),
    }),
  );
  return id;
}

async function read(id: string, context: CallContext): Promise<Invoice> {
  return shown((await replica.invoices.within(context).get(id)).state);
}

function charges(id: string): Promise<number> {
  return mongo.db
    .collection('sandboxCharges')
    .countDocuments({ _id: { $regex: `^${id}:` } as never });
}

async function commandsOf(id: string): Promise<{ type: string; payload: unknown }[]> {
  const document = await replica.invoices.documents.findOne({ _id: id });
  return [...(document?.outbox ?? [])];
}

function inParallel<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}

describe('opening', () => {
  test('20 processes racing for 50 invoices number them 1 to 50, each once and without gaps', async () => {
    const context = testContext();
    const ids = await inParallel(50, () => insertDraft(context));
    const openers = Array.from({ length: 20 }, aReplica);

    await inParallel(20, async (index) => {
      // Each starts elsewhere, so that they meet at many invoices in many orders.
      const own = [...ids.slice(index * 2), ...ids.slice(0, index * 2)];
      for (const id of own) await openers[index]!.worker.open(id, context);
    });

    const numbers = (await Promise.all(ids.map((id) => read(id, context)))).map(
      (one) => one.number,
    );
    const expected = Array.from({ length: 50 }, (_, n) => `INV-${String(n + 1).padStart(6, '0')}`);
    expect([...numbers].sort()).toEqual(expected);
  });

  test('a process that stops between number and OPEN burns no number', async () => {
    const context = testContext();
    const { environmentId } = context.tenant;
    const stopped = await insertDraft(context);
    const later = await insertDraft(context);
    const taken = await replica.numbers.take({ environmentId, invoiceId: stopped });

    await replica.worker.open(later, context);
    await replica.worker.open(stopped, context);

    expect(taken).toBe('INV-000001');
    expect(await read(stopped, context)).toMatchObject({ status: 'OPEN', number: 'INV-000001' });
    expect(await read(later, context)).toMatchObject({ status: 'OPEN', number: 'INV-000002' });
  });

  test('every environment counts for itself', async () => {
    for (const context of [testContext(), testContext()]) {
      const id = await insertDraft(context);
      await replica.worker.open(id, context);
      expect((await read(id, context)).number).toBe('INV-000001');
    }
  });

  test('captures the authorisation and keeps its card for the next invoice', async () => {
    const context = testContext();
    const customerId = newId();
    const first = await insertDraft(context, {
      customerId,
      authorizedTransactionId: 'txn_5555555555554444_a',
    });
    await replica.worker.open(first, context);
    const second = await insertDraft(context, { customerId });
    await replica.worker.open(second, context);

    for (const id of [first, second]) {
      expect(await read(id, context)).toMatchObject({
        status: 'PAID',
        attempt: undefined,
        payments: [{ status: 'SUCCEEDED', amount: 2900n, provider: 'sandbox' }],
      });
      expect(await charges(id)).toBe(1);
    }
    const methodId = await replica.methods.defaultOf(customerId, context);
    expect(await replica.methods.get(methodId!, context)).toMatchObject({
      provider: 'sandbox',
      brand: 'mastercard',
      last4: '4444',
    });
  });

  test('keeps the card of a capture that failed: it is what the payer chose for renewals', async () => {
    const context = testContext();
    const customerId = newId();
    const input = { customerId, authorizedTransactionId: 'txn_4000000000009995' };
    const id = await insertDraft(context, input);
    await replica.worker.open(id, context);

    expect(await read(id, context)).toMatchObject({
      status: 'OPEN',
      collectAt: undefined,
      payments: [{ status: 'FAILED', failureCode: 'insufficient_funds' }],
    });
    expect(await replica.methods.defaultOf(customerId, context)).toBeDefined();
  });

  test('a card that the sandbox does not know is refused and not kept', async () => {
    const context = testContext();
    const customerId = newId();
    const input = { customerId, authorizedTransactionId: 'txn_4111111111111111' };
    const id = await insertDraft(context, input);
    await replica.worker.open(id, context);

    expect((await read(id, context)).payments).toMatchObject([
      { status: 'FAILED', failureCode: 'card_not_supported' },
    ]);
    expect(await replica.methods.defaultOf(customerId, context)).toBeUndefined();
  });

  test('where nothing is due the card is kept all the same, and not charged', async () => {
    const context = testContext();
    const customerId = newId();
    const free = { customerId, authorizedTransactionId: 'txn_1', lines: [aLine({ amount: 0n })] };
    const id = await insertDraft(context, free);
    await replica.worker.open(id, context);

    expect(await read(id, context)).toMatchObject({ status: 'PAID', payments: [] });
    expect(await charges(id)).toBe(0);
    expect(await replica.methods.defaultOf(customerId, context)).toBeDefined();
  });

  test('without a provider the charge fails, and the subscription is told', async () => {
    const context = testContext({ tenant: { live: true } });
    const id = await insertDraft(context, { authorizedTransactionId: 'pi_1' });
    await replica.worker.open(id, context);

    expect(await read(id, context)).toMatchObject({
      status: 'OPEN',
      payments: [{ provider: 'none', status: 'FAILED', failureCode: 'no_payment_provider' }],
    });
    expect((await commandsOf(id)).map(({ type }) => type)).toEqual([
      'openInvoice',
      'applyCollectionResult',
    ]);
  });
});

describe('an attempt', () => {
  test('that 20 processes resume at once is charged once and recorded once', async () => {
    const context = testContext();
    const id = await insertClaimed(context, { authorizedTransactionId: 'txn_1' });
    const resumers = Array.from({ length: 20 }, aReplica);

    await inParallel(20, (index) => resumers[index]!.worker.resume(id, context));

    expect(await charges(id)).toBe(1);
    const invoice = await read(id, context);
    expect(invoice).toMatchObject({ status: 'PAID', resultsSent: 1 });
    expect(invoice.payments).toHaveLength(1);
    const results = (await commandsOf(id)).filter(({ type }) => type === 'applyCollectionResult');
    expect(results).toHaveLength(1);
  });

  test('that was charged before its process stopped is recorded as it was charged', async () => {
    const context = testContext();
    const id = await insertClaimed(context, { authorizedTransactionId: 'txn_1' });
    const { environmentId } = context.tenant;
    const provider = new SandboxProvider(new SandboxStore(mongo.db, environmentId), environmentId);
    const { customerId } = await read(id, context);
    const source = { kind: 'AUTHORIZATION' as const, authorizedTransactionId: 'txn_1' };
    const charged = await provider.charge({
      key: `${id}:1`,
      amount: 2900n,
      currency: 'USD',
      customerId,
      source,
    });

    await replica.worker.open(id, context);

    expect(charged.status).toBe('SUCCEEDED');
    expect((await read(id, context)).payments).toMatchObject([
      { status: 'SUCCEEDED', providerPaymentId: charged.providerPaymentId },
    ]);
    expect(await charges(id)).toBe(1);
  });

  test('of an invoice without a method is due an hour later and fails then', async () => {
    const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
    const id = await insertDraft(context);
    await replica.worker.open(id, context);
    const due = { ...context, now: (await read(id, context)).collectAt! };

    expect(due.now).toEqual(new Date('2026-01-05T13:00:00.000Z'));
    await replica.worker.collectDue(id, due);

    expect(await read(id, context)).toMatchObject({
      status: 'OPEN',
      collectAt: undefined,
      payments: [
        {
          status: 'FAILED',
          provider: 'none',
          failureCode: 'no_payment_method',
          createdAt: new Date('2026-01-05T13:00:00.000Z'),
        },
      ],
    });
  });

  test('charges a method that was saved within the hour', async () => {
    const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
    const customerId = newId();
    const id = await insertDraft(context, { customerId });
    await replica.worker.open(id, context);
    await replica.worker.keepMethod({ customerId, authorizedTransactionId: 'txn_1' }, context);

    await replica.worker.collectDue(id, { ...context, now: new Date('2026-01-05T13:00:00.000Z') });

    expect(await read(id, context)).toMatchObject({
      status: 'PAID',
      paidAt: new Date('2026-01-05T13:00:00.000Z'),
    });
  });
});

describe('voiding', () => {
  const holderOf = ({ id, subscriptionId, customerId, currency }: Invoice) => ({
    id,
    subscriptionId,
    customerId,
    currency,
  });

  test('an invoice that does not exist leaves a tombstone, and a late draft finds it void', async () => {
    const context = testContext();
    const invoice = draft(aNewInvoice({ id: newId() })).state;
    await replica.worker.voidDerived(holderOf(invoice), context);

    const { stored, inserted } = await replica.invoices.within(context).insert(draft(invoice));
    await replica.worker.open(invoice.id, context);

    expect(inserted).toBe(false);
    expect(stored.state).toMatchObject({ isTombstone: true, status: 'VOID' });
    const next = await insertDraft(context);
    await replica.worker.open(next, context);
    expect((await read(next, context)).number).toBe('INV-000001');
  });

  test('a draft numbers it first, and its opening then neither opens nor charges it', async () => {
    const context = testContext();
    const id = await insertDraft(context, { authorizedTransactionId: 'txn_1' });
    await replica.worker.voidDerived(holderOf(await read(id, context)), context);
    await replica.worker.open(id, context);

    expect(await read(id, context)).toMatchObject({
      status: 'VOID',
      number: 'INV-000001',
      payments: [],
    });
    expect(await charges(id)).toBe(0);
    expect((await commandsOf(id)).map(({ type }) => type)).toEqual(['openInvoice']);
  });

  test('is refused while an attempt is in the slot, and leaves what is paid', async () => {
    const context = testContext();
    const id = await insertClaimed(context, { authorizedTransactionId: 'txn_1' });
    const holder = holderOf(await read(id, context));

    await expect(replica.worker.voidDerived(holder, context)).rejects.toMatchObject({
      kind: 'failed_precondition',
      reason: 'PAYMENT_IN_PROGRESS',
    });
    await replica.worker.resume(id, context);
    const { state } = await replica.worker.voidDerived(holder, context);
    expect(state.status).toBe('PAID');
  });

  test('racing the opening, either voids and nothing is charged, or is refused and the invoice is paid', async () => {
    const context = testContext();
    const ids = await inParallel(40, () =>
      insertDraft(context, { authorizedTransactionId: `txn_${newId()}` }),
    );
    const other = aReplica();

    await inParallel(40, async (index) => {
      const holder = holderOf(await read(ids[index]!, context));
      const outcomes = await Promise.allSettled([
        replica.worker.open(holder.id, context),
        other.worker.voidDerived(holder, context),
      ]);
      const invoice = await read(holder.id, context);
      expect(['PAID', 'VOID']).toContain(invoice.status);
      expect(await charges(holder.id)).toBe(invoice.status === 'PAID' ? 1 : 0);
      if (invoice.status === 'VOID') expect(outcomes[1].status).toBe('fulfilled');
    });
  });
});

test('a step that is repeated late does not bring an older card back', async () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const customerId = newId();
  const older = { customerId, authorizedTransactionId: 'txn_4000000000000341' };
  const newer = { customerId, authorizedTransactionId: 'txn_4242424242424242' };
  await replica.worker.keepMethod(older, context);
  const newerId = await replica.worker.keepMethod(newer, context);
  await replica.worker.keepMethod(older, context);

  expect(await replica.methods.defaultOf(customerId, context)).toBe(newerId);
});

test('the default is the same, in whatever order 20 racing uses are saved', async () => {
  const context = testContext();
  const customerId = newId();
  await inParallel(20, (index) =>
    aReplica().worker.keepMethod(
      { customerId, authorizedTransactionId: `txn_${String(index)}` },
      { ...context, now: new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 20))) },
    ),
  );

  const id = await replica.methods.defaultOf(customerId, context);
  expect((await replica.methods.get(id!, context)).usedAt).toEqual(new Date(Date.UTC(2026, 0, 20)));
});
