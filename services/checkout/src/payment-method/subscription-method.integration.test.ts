import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { invoiceWorkers } from '../collection/workers';
import type { PaymentProvider } from '../provider/port/payment-provider';
import { advancingClock, openReplicas, type Replicas, sandboxOf } from '../testing/store';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await openReplicas();
});

afterAll(() => replicas.close());

const start = new Date('2026-01-01T00:00:00.000Z');
const works = '4242424242424242';
const failsWhenSaved = '4000000000000341';
const lost = '4000000000009987';

/** A customer with a default card, and a subscription with another card. */
async function aCustomer(
  { own, usual }: { own: string; usual: string },
  { replica = replicas.replica } = {},
) {
  const context = testContext({ now: start });
  const [customerId, subscriptionId] = [newId(), newId()];
  const onDay = (day: number) => ({ ...context, now: new Date(Date.UTC(2026, 0, 1 + day)) });
  const { saver, worker, methods } = replica;
  const give = (authorizedTransactionId: string, given: string | undefined, day: number) =>
    saver.keepAuthorized(
      { customerId, authorizedTransactionId, subscriptionId: given },
      onDay(day),
    );
  await give(`txn_${usual}`, undefined, 0);
  await give(`txn_${own}_own`, subscriptionId, 1);
  const bill = async (ofSubscription = subscriptionId) => {
    const id = await replicas.insertDraft(onDay(2), { customerId, subscriptionId: ofSubscription });
    await worker.open(id, onDay(2));
    return id;
  };
  const read = (id: string) => replicas.read(id, context);
  /** Each payment with its card's last digits and the number of its retry. */
  const payments = async (id: string) => {
    const found = (await read(id)).payments;
    return Promise.all(
      found.map(async ({ number, retry, methodId, failureCode }) => {
        const { last4 } = await methods.get(methodId ?? '', context);
        return [number, retry, last4, failureCode ?? 'paid'];
      }),
    );
  };
  const collect = (id: string, day: number) => worker.collectDue(id, onDay(day));
  /** Runs the commands by which a success keeps its method; returns their number. */
  const applyUses = async (id: string) => {
    const document = await replica.invoices.documents.findOne({ _id: id });
    const uses = (document?.outbox ?? []).filter(({ type }) => type === 'preferMethod');
    for (const { payload } of uses) await saver.keepUsed(customerId, payload as never, context);
    return uses.length;
  };
  const given = { customerId, subscriptionId, context, methods };
  return { ...given, onDay, bill, read, payments, collect, applyUses };
}

test('a card that was only saved is charged for its own subscription, and the default for the others', async () => {
  const { bill, payments } = await aCustomer({ own: '5555555555554444', usual: works });
  expect(await payments(await bill())).toEqual([[1, 0, '4444', 'paid']]);
  expect(await payments(await bill(newId()))).toEqual([[1, 0, '4242', 'paid']]);
});

test("a retry tries the customer's other cards after the subscription's own card has failed, with one result", async () => {
  const { bill, payments, collect, read } = await aCustomer({ own: failsWhenSaved, usual: works });
  const id = await bill();
  expect(await payments(id)).toEqual([[1, 0, '0341', 'card_declined']]);
  await collect(id, 5);

  expect(await payments(id)).toEqual([
    [1, 0, '0341', 'card_declined'],
    [2, 1, '0341', 'card_declined'],
    [3, 1, '4242', 'paid'],
  ]);
  expect(await read(id)).toMatchObject({ status: 'PAID', resultsSent: 2 });
});

test('each retry that no card pays counts as one failure, and the last one ends dunning', async () => {
  const { bill, payments, collect, read } = await aCustomer({
    own: failsWhenSaved,
    usual: '4000000000009995',
  });
  const id = await bill();
  for (const day of [5, 9, 16]) await collect(id, day);

  const retry = (number: number, retries: number) => [
    [number, retries, '0341', 'card_declined'],
    [number + 1, retries, '9995', 'insufficient_funds'],
  ];
  expect(await payments(id)).toEqual([
    [1, 0, '0341', 'card_declined'],
    ...retry(2, 1),
    ...retry(4, 2),
    ...retry(6, 3),
  ]);
  expect(await read(id)).toMatchObject({ status: 'UNCOLLECTIBLE', resultsSent: 4 });
});

test('a permanently refused card is not charged again, and the card that pays replaces it', async () => {
  const { bill, payments, collect } = await aCustomer({ own: lost, usual: works });
  const id = await bill();
  await collect(id, 5);
  expect(await payments(id)).toEqual([
    [1, 0, '9987', 'lost_card'],
    [2, 1, '4242', 'paid'],
  ]);
  const { commands } = await replicas.replica.invoices.documents
    .findOne({ _id: id })
    .then((document) => ({ commands: document?.outbox ?? [] }));
  expect(commands.map(({ type }) => type)).toContain('preferMethod');
});

test('a permanently refused default is replaced by the card that pays, in later periods too', async () => {
  const { bill, payments, collect, applyUses } = await aCustomer({ own: works, usual: lost });
  const otherSubscription = newId();
  const id = await bill(otherSubscription);
  await collect(id, 5);
  expect(await payments(id)).toEqual([
    [1, 0, '9987', 'lost_card'],
    [2, 1, '4242', 'paid'],
  ]);
  await applyUses(id);
  expect(await payments(await bill(otherSubscription))).toEqual([[1, 0, '4242', 'paid']]);
});

test('a card with a soft decline is not replaced, even if another card was permanently refused', async () => {
  const { bill, payments, collect, subscriptionId, methods, context, customerId, onDay } =
    await aCustomer({ own: failsWhenSaved, usual: lost });
  const card = { number: works, expiry: '12/60', code: '123' };
  const { saver } = replicas.replica;
  const methodId = await saver.enterCard({ customerId, card }, onDay(0));
  const use = { customerId, methodId, usedAt: onDay(0).now, savedAt: onDay(0).now };
  await methods.keepUnpaid(use, onDay(0));
  const id = await bill();
  await collect(id, 5);
  expect(await payments(id)).toEqual([
    [1, 0, '0341', 'card_declined'],
    [2, 1, '0341', 'card_declined'],
    [3, 1, '9987', 'lost_card'],
    [4, 1, '4242', 'paid'],
  ]);
  expect(await replicas.commandsOf(id)).not.toContain('preferMethod');
  const own = await methods.subscriptions.find(subscriptionId, context);
  expect(own?.methodId).not.toBe(methodId);
});

test('a card that has paid for its subscription becomes the default, but not again after a later one', async () => {
  const { bill, customerId, methods, context, onDay, applyUses } = await aCustomer({
    own: '5555555555554444',
    usual: works,
  });
  const { saver } = replicas.replica;
  const default4 = async () =>
    (await methods.get((await methods.defaultOf(customerId, context)) ?? '', context)).last4;
  expect([await applyUses(await bill()), await default4()]).toEqual([1, '4444']);
  const card = { number: works, expiry: '12/60', code: '123' };
  const methodId = await saver.enterCard({ customerId, card }, onDay(3));
  const use = { customerId, methodId, usedAt: onDay(3).now, savedAt: onDay(3).now };
  await methods.prefer(use, onDay(3));
  expect([await applyUses(await bill()), await default4()]).toEqual([0, '4242']);
});

test('a crash between two cards of one retry charges each of them once', async () => {
  const { bill, payments, collect, read, onDay } = await aCustomer({
    own: failsWhenSaved,
    usual: works,
  });
  const id = await bill();
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  const provider = (environmentId: string): PaymentProvider => {
    const sandbox = sandboxOf(replicas.db, environmentId);
    const isSecond = ({ key }: { key: string }) => key.endsWith(':3');
    return {
      name: sandbox.name,
      cardEntry: sandbox.cardEntry,
      findCharge: (reference) => sandbox.findCharge(reference),
      charge: async (request) => {
        const outcome = await sandbox.charge(request);
        // Charged, and the process crashes before it can record the charge.
        if (isSecond(request)) throw new Error('The process dies');
        return outcome;
      },
      continueCharge: (answer) => sandbox.continueCharge(answer),
      cancelCharge: (reference) => sandbox.cancelCharge(reference),
      resolveAuthorization: (authorization) => sandbox.resolveAuthorization(authorization),
      expiryOf: () => sandbox.expiryOf(),
      detach: () => sandbox.detach(),
      refund: (refund) => sandbox.refund(refund),
      findRefund: (refund) => sandbox.findRefund(refund),
      listRefunds: () => sandbox.listRefunds(),
      findDispute: (dispute) => sandbox.findDispute(dispute),
    };
  };
  const dying = invoiceWorkers({
    ...{ invoices, numbers, balances, methods, clock: advancingClock, retryDays: [3, 7, 14] },
    providerOf: ({ environmentId }) => provider(environmentId),
    logger: { warn: () => undefined },
  });
  await expect(dying.collection.collectDue(id, onDay(5))).rejects.toThrow('The process dies');
  expect((await read(id)).attempt).toMatchObject({ number: 3, retry: 1, status: 'PENDING' });
  await collect(id, 5);
  await replicas.replica.worker.resume(id, onDay(5));

  expect((await payments(id)).map(([number, , last4, result]) => [number, last4, result])).toEqual([
    [1, '0341', 'card_declined'],
    [2, '0341', 'card_declined'],
    [3, '4242', 'paid'],
  ]);
  expect(await replicas.charges(id)).toBe(3);
});

test('subscriptions charged to the old default follow a default that the customer chooses', async () => {
  const { customerId, subscriptionId, methods, context } = await aCustomer({
    own: works,
    usual: '5555555555554444',
  });
  const { subscriptions } = methods;
  const own = await subscriptions.find(subscriptionId, context);
  const [other, later] = [newId(), new Date('2026-02-01T00:00:00.000Z')];
  const toMethodId = newId();
  await subscriptions.give(other, { ...own!, customerId, methodId: newId() }, context);
  const moved = { fromMethodId: own!.methodId, toMethodId, usedAt: later, savedAt: later };
  await subscriptions.move(customerId, moved, context);
  await subscriptions.move(customerId, moved, context);

  expect(await subscriptions.find(subscriptionId, context)).toMatchObject({ methodId: toMethodId });
  expect((await subscriptions.find(other, context))?.methodId).not.toBe(toMethodId);
});
