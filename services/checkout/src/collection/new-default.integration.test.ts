import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import type { CollectionMethod } from '../invoice/invoice';
import { invoiceWorkers } from './workers';
import { noProvider } from '../provider/no-provider';
import { advancingClock, openReplicas, type Replicas, sandboxOf } from '../testing/store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

const returnUrl = 'https://shop.example/back';
const payer = { callId: undefined, returnUrl };

/** An invoice of a customer without a default. */
async function anInvoice(context: CallContext) {
  const customerId = newId();
  const id = await replicas.insertDraft(context, { customerId });
  await replica.worker.open(id, context);
  const enter = (number: string) => {
    const card = { number, expiry: '12/60', code: '123' };
    return replica.saver.enterCard({ customerId, card }, context);
  };
  const prefer = async (methodId: string) => {
    const use = { customerId, methodId, usedAt: context.now, savedAt: advancingClock.now() };
    await replica.methods.prefer(use, context);
  };
  const read = () => replicas.read(id, context);
  const collect = () => replica.worker.collectOpenInvoices(customerId, context);
  return { id, customerId, enter, prefer, read, collect };
}

/** An invoice whose payer was asked to confirm, and did not answer. */
async function aChallenge(context: CallContext) {
  const invoice = await anInvoice(context);
  const challenged = await invoice.enter('4000002500003155');
  const source = { kind: 'METHOD', paymentMethodId: challenged } as const;
  await replica.payments.pay({ invoiceId: invoice.id, source }, payer, context);
  return { ...invoice, challenged };
}

test('a new default replaces a challenge without an answer', async () => {
  const context = testContext();
  const { enter, prefer, collect, read, challenged } = await aChallenge(context);
  const works = await enter('4242424242424242');
  await prefer(works);
  await collect();
  expect(await read()).toMatchObject({
    status: 'PAID',
    payments: [
      { methodId: challenged, failureCode: 'authentication_required' },
      { methodId: works, status: 'SUCCEEDED', origin: 'NEW_DEFAULT' },
    ],
  });
});

test('a challenge that had already succeeded when a new default cancels it is the payment', async () => {
  const context = testContext();
  const { id, customerId, enter, prefer, collect, read, challenged } = await aChallenge(context);
  const provider = sandboxOf(replicas.db, context.tenant.environmentId);
  await provider.continueCharge({ key: `${id}:1`, customerId, approved: true });
  await prefer(await enter('4242424242424242'));
  await collect();
  expect(await read()).toMatchObject({
    status: 'PAID',
    payments: [{ methodId: challenged, status: 'SUCCEEDED' }],
  });
  expect(await replicas.charges(id)).toBe(1);
});

test.each([
  ['that is being confirmed', async () => undefined],
  [
    'that was permanently refused for the invoice',
    async ({ id, enter }: Awaited<ReturnType<typeof anInvoice>>, context: CallContext) => {
      const source = { kind: 'METHOD', paymentMethodId: await enter('4000000000000069') } as const;
      await replica.payments.pay({ invoiceId: id, source }, payer, context);
      return source.paymentMethodId;
    },
  ],
])('a new default %s cancels no challenge', async (_case, refuse) => {
  const context = testContext();
  const invoice = await anInvoice(context);
  const refused = await refuse(invoice, context);
  const challenged = await invoice.enter('4000002500003155');
  const source = { kind: 'METHOD', paymentMethodId: challenged } as const;
  await replica.payments.pay({ invoiceId: invoice.id, source }, payer, context);
  await invoice.prefer(refused ?? challenged);
  await invoice.collect();
  expect((await invoice.read()).attempt).toMatchObject({
    status: 'REQUIRES_ACTION',
    methodId: challenged,
  });
});

test('a new default immediately pays all open automatic invoices, and no other', async () => {
  const context = testContext();
  const { customerId, id: first, enter, prefer, collect } = await anInvoice(context);
  const another = async (collectionMethod: CollectionMethod) => {
    const id = await replicas.insertDraft(context, { customerId, collectionMethod });
    await replica.worker.open(id, context);
    return id;
  };
  const automatic = [
    first,
    await another('CHARGE_AUTOMATICALLY'),
    await another('CHARGE_AUTOMATICALLY'),
  ];
  const sent = await another('SEND_INVOICE');
  const { id: ofAnother } = await anInvoice(context);
  const statuses = (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await replicas.read(id, context)).status));
  expect(await statuses(automatic)).toEqual(['OPEN', 'OPEN', 'OPEN']);
  const works = await enter('4242424242424242');
  await prefer(works);
  await collect();
  expect(await statuses(automatic)).toEqual(['PAID', 'PAID', 'PAID']);
  for (const id of automatic) {
    const { payments } = await replicas.read(id, context);
    expect(payments.at(-1)).toMatchObject({ methodId: works, origin: 'NEW_DEFAULT' });
    expect(await replicas.charges(id)).toBe(1);
  }
  expect(await statuses([sent, ofAnother])).toEqual(['OPEN', 'OPEN']);
});

test('a new default waits for an attempt that begins after the invoice was read', async () => {
  const context = testContext();
  const { id: invoiceId, enter, prefer, collect, read, customerId } = await anInvoice(context);
  const declined = await enter('4000000000000002');
  const works = await enter('4242424242424242');
  await prefer(works);
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  const dependencies = {
    clock: advancingClock,
    retryDays: [3, 7, 14],
    logger: { warn: () => undefined },
  };
  const down = invoiceWorkers({
    ...{ invoices, numbers, balances, methods, ...dependencies },
    providerOf: () => ({
      ...noProvider,
      name: 'sandbox',
      charge: () => Promise.reject(new Error('The provider is down')),
    }),
  });
  // The payer pays between the read of the invoice and the claim.
  let isPaying = false;
  const racingMethods = new Proxy(methods, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'defaultOf')
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      return async (...of: Parameters<typeof methods.defaultOf>) => {
        const source = { kind: 'METHOD', paymentMethodId: declined } as const;
        if (!isPaying) await down.payments.pay({ invoiceId, source }, payer, context);
        isPaying = true;
        return methods.defaultOf(...of);
      };
    },
  });
  const { collection } = invoiceWorkers({
    ...{ invoices, numbers, balances, methods: racingMethods, ...dependencies },
    providerOf: ({ environmentId }) => sandboxOf(replicas.db, environmentId),
  });

  await expect(collection.collectOpenInvoices(customerId, context)).rejects.toMatchObject({
    reason: 'PAYMENT_IN_PROGRESS',
  });
  await replica.worker.resume(invoiceId, context);
  await collect();
  expect(await read()).toMatchObject({
    status: 'PAID',
    payments: [{ methodId: declined, status: 'FAILED' }, { methodId: works }],
  });
});
