import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { invoiceWorkers } from './workers';
import { aLineItem } from '../testing/invoice';
import {
  advancingClock,
  inParallel,
  openReplicas,
  type Replicas,
  sandboxOf,
} from '../testing/store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

describe('opening', () => {
  test('of 50 invoices in 20 racing processes assigns the numbers 1 to 50, each once and without gaps', async () => {
    const context = testContext();
    const ids = await inParallel(50, () => replicas.insertDraft(context));
    const openers = Array.from({ length: 20 }, replicas.aReplica);

    await inParallel(20, async (index) => {
      // Each starts at another invoice, so that they meet at many invoices in many orders.
      const own = [...ids.slice(index * 2), ...ids.slice(0, index * 2)];
      for (const id of own) await openers[index]!.worker.open(id, context);
    });

    const numbers = (await Promise.all(ids.map((id) => replicas.read(id, context)))).map(
      (one) => one.number,
    );
    const expected = Array.from({ length: 50 }, (_, n) => `INV-${String(n + 1).padStart(6, '0')}`);
    expect([...numbers].sort()).toEqual(expected);
  });

  test('by a process that stops between number and OPEN leaves no gap', async () => {
    const context = testContext();
    const { environmentId } = context.tenant;
    const stopped = await replicas.insertDraft(context);
    const later = await replicas.insertDraft(context);
    const taken = await replica.numbers.take({ environmentId, invoiceId: stopped });

    await replica.worker.open(later, context);
    await replica.worker.open(stopped, context);

    expect(taken).toBe('INV-000001');
    expect(await replicas.read(stopped, context)).toMatchObject({
      status: 'OPEN',
      number: 'INV-000001',
    });
    expect(await replicas.read(later, context)).toMatchObject({
      status: 'OPEN',
      number: 'INV-000002',
    });
  });

  test('counts separately in every environment', async () => {
    for (const context of [testContext(), testContext()]) {
      const id = await replicas.insertDraft(context);
      await replica.worker.open(id, context);
      expect((await replicas.read(id, context)).number).toBe('INV-000001');
    }
  });

  test('captures the authorization and saves its card for the next invoice', async () => {
    const context = testContext();
    const customerId = newId();
    const first = await replicas.insertDraft(context, {
      customerId,
      authorizedTransactionId: 'txn_5555555555554444_a',
    });
    await replica.worker.open(first, context);
    const second = await replicas.insertDraft(context, { customerId });
    await replica.worker.open(second, context);

    for (const id of [first, second]) {
      expect(await replicas.read(id, context)).toMatchObject({
        status: 'PAID',
        attempt: undefined,
        payments: [
          {
            ...{ status: 'SUCCEEDED', amount: 2900n, provider: 'sandbox' },
            card: { brand: 'mastercard', last4: '4444' },
          },
        ],
      });
      expect(await replicas.charges(id)).toBe(1);
    }
    const methodId = await replica.methods.defaultOf(customerId, context);
    expect(await replica.methods.get(methodId!, context)).toMatchObject({
      provider: 'sandbox',
      brand: 'mastercard',
      last4: '4444',
    });
  });

  test('saves the card of a failed capture, because the payer chose it for renewals', async () => {
    const context = testContext();
    const customerId = newId();
    const input = { customerId, authorizedTransactionId: 'txn_4000000000009995' };
    const id = await replicas.insertDraft(context, input);
    await replica.worker.open(id, context);

    expect(await replicas.read(id, context)).toMatchObject({
      status: 'OPEN',
      payments: [{ status: 'FAILED', failureCode: 'insufficient_funds' }],
    });
    expect(await replica.methods.defaultOf(customerId, context)).toBeDefined();
  });

  test('refuses a card that the sandbox does not know, and does not save it', async () => {
    const context = testContext();
    const customerId = newId();
    const input = { customerId, authorizedTransactionId: 'txn_4111111111111111' };
    const id = await replicas.insertDraft(context, input);
    await replica.worker.open(id, context);

    expect((await replicas.read(id, context)).payments).toMatchObject([
      { status: 'FAILED', failureCode: 'card_not_supported' },
    ]);
    expect(await replica.methods.defaultOf(customerId, context)).toBeUndefined();
  });

  test('saves the card without charging it if nothing is due', async () => {
    const context = testContext();
    const customerId = newId();
    const free = {
      customerId,
      authorizedTransactionId: 'txn_1',
      lineItems: [aLineItem({ amount: 0n })],
    };
    const id = await replicas.insertDraft(context, free);
    await replica.worker.open(id, context);

    expect(await replicas.read(id, context)).toMatchObject({ status: 'PAID', payments: [] });
    expect(await replicas.charges(id)).toBe(0);
    expect(await replica.methods.defaultOf(customerId, context)).toBeDefined();
  });
});

test('collection charges a default method that is set concurrently once the invoice is open', async () => {
  const context = testContext();
  const customerId = newId();
  const id = await replicas.insertDraft(context, { customerId });
  const card = { number: '4242424242424242', expiry: '12/60', code: '123' };
  const methodId = await replica.saver.enterCard({ customerId, card }, context);
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  const collectOpenInvoices = () => replica.worker.collectOpenInvoices(customerId, context);
  let isLookedUp = false;
  // The default was read just before it was set, and the invoice opens after the open invoices were
  // listed.
  const late = new Proxy(methods, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'choiceFor' || isLookedUp) {
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      isLookedUp = true;
      return async () => {
        const times = { usedAt: context.now, savedAt: context.now };
        await methods.prefer({ customerId, methodId, ...times }, context);
        await expect(collectOpenInvoices()).rejects.toMatchObject({ kind: 'unavailable' });
        return { methodId: undefined, otherMethodIds: [], becomesDefault: false };
      };
    },
  });
  const { collection } = invoiceWorkers({
    ...{ invoices, numbers, balances, methods: late, clock: advancingClock, retryDays: [3, 7, 14] },
    providerOf: ({ environmentId }) => sandboxOf(replicas.db, environmentId),
    logger: { warn: () => undefined },
  });
  await collection.open(id, context);
  await collectOpenInvoices();

  expect(await replicas.read(id, context)).toMatchObject({
    status: 'PAID',
    payments: [{ status: 'SUCCEEDED', methodId }],
  });
  expect(await replicas.charges(id)).toBe(1);
});

describe('an attempt', () => {
  test('that 20 processes resume in parallel is charged once and recorded once', async () => {
    const context = testContext();
    const id = await replicas.insertClaimed(context, 'txn_1');
    const resumers = Array.from({ length: 20 }, replicas.aReplica);

    await inParallel(20, (index) => {
      const { worker } = resumers[index]!;
      // One that has lost every attempt against the others is refused, and is repeated.
      return eventually(() => worker.resume(id, context));
    });

    expect(await replicas.charges(id)).toBe(1);
    const invoice = await replicas.read(id, context);
    expect(invoice).toMatchObject({ status: 'PAID', resultsSent: 1 });
    expect(invoice.payments).toHaveLength(1);
    const results = (await replicas.commandsOf(id)).filter(
      (type) => type === 'applyCollectionResult',
    );
    expect(results).toHaveLength(1);
  });

  test('that was charged before its process stopped is recorded with that charge', async () => {
    const context = testContext();
    const id = await replicas.insertClaimed(context, 'txn_1');
    const { environmentId } = context.tenant;
    const provider = sandboxOf(replicas.db, environmentId);
    const { customerId } = await replicas.read(id, context);
    const source = { kind: 'AUTHORIZATION' as const, authorizedTransactionId: 'txn_1' };
    const charged = await provider.charge({
      key: `${id}:1`,
      amount: 2900n,
      currency: 'USD',
      customerId,
      invoiceId: id,
      source,
      startedAt: systemClock.now(),
      returnUrl: undefined,
    });

    await replica.worker.open(id, context);

    expect(charged.status).toBe('SUCCEEDED');
    expect((await replicas.read(id, context)).payments).toMatchObject([
      { status: 'SUCCEEDED', providerPaymentId: charged.providerPaymentId },
    ]);
    expect(await replicas.charges(id)).toBe(1);
  });

  test('of an invoice without a method is due an hour later and fails then', async () => {
    const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
    const id = await replicas.insertDraft(context);
    await replica.worker.open(id, context);
    const due = { ...context, now: (await replicas.read(id, context)).collectAt! };

    expect(due.now).toEqual(new Date('2026-01-05T13:00:00.000Z'));
    await replica.worker.collectDue(id, due);

    expect(await replicas.read(id, context)).toMatchObject({
      status: 'OPEN',
      collectAt: new Date('2026-01-08T13:00:00.000Z'),
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
    const id = await replicas.insertDraft(context, { customerId });
    await replica.worker.open(id, context);
    await replica.saver.keepAuthorized(
      { customerId, authorizedTransactionId: 'txn_1', subscriptionId: undefined },
      context,
    );

    await replica.worker.collectDue(id, { ...context, now: new Date('2026-01-05T13:00:00.000Z') });

    expect(await replicas.read(id, context)).toMatchObject({
      status: 'PAID',
      paidAt: new Date('2026-01-05T13:00:00.000Z'),
    });
  });
});
