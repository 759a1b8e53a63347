import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { payerDefinition } from './store';
import { inParallel, openReplicas, type Replicas } from '../testing/store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

test('a late retry of a step does not restore an older card', async () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const customerId = newId();
  const paidWith = (authorizedTransactionId: string, savedAt: Date) =>
    replica.saver.keepUsed(
      customerId,
      {
        source: { kind: 'AUTHORIZATION', authorizedTransactionId },
        usedAt: context.now,
        savedAt,
      },
      context,
    );
  const [first, second] = [new Date(1), new Date(2)];
  await paidWith('txn_4000000000000341', first);
  await paidWith('txn_4242424242424242', second);
  const newerId = await replica.methods.defaultOf(customerId, context);
  await paidWith('txn_4000000000000341', first);
  expect((await replica.methods.get(newerId!, context)).last4).toBe('4242');

  expect(await replica.methods.defaultOf(customerId, context)).toBe(newerId);
});

test('the default is the same for every order of 20 racing uses', async () => {
  const context = testContext();
  const customerId = newId();
  await inParallel(20, (index) => {
    const usedAt = new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 20)));
    const authorizedTransactionId = `txn_${String(index)}`;
    const source = { kind: 'AUTHORIZATION', authorizedTransactionId } as const;
    const used = { source, usedAt, savedAt: usedAt };
    const { saver } = replicas.aReplica();
    // A use that has lost every attempt against the others is refused, and is repeated.
    return eventually(() => saver.keepUsed(customerId, used, context));
  });

  const id = await replica.methods.defaultOf(customerId, context);
  expect((await replica.methods.get(id!, context)).usedAt).toEqual(new Date(Date.UTC(2026, 0, 20)));
});

test("a typed card is compared with the environment's time", async () => {
  const enter = (now: string) => {
    const context = testContext({ now: new Date(now) });
    const card = { number: '4242424242424242', expiry: '05/26', code: '123' };
    return replica.saver.enterCard({ customerId: newId(), card }, context);
  };
  expect(await enter('2026-05-31T23:59:59.999Z')).toEqual(expect.any(String));
  await expect(enter('2026-06-01T00:00:00.000Z')).rejects.toMatchObject({
    fields: { expiry: ['The card has expired'] },
  });
});

describe("a customer's methods", () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const authorized = (customerId: string, number: string) =>
    replica.saver.keepAuthorized(
      {
        customerId,
        authorizedTransactionId: `txn_${number}_${customerId}`,
        subscriptionId: undefined,
      },
      { ...context, now: new Date(context.now.getTime() + 1) },
    );

  /** Saves a method without adding it to the customer's list. */
  async function saved(customerId: string): Promise<string> {
    const times = { usedAt: context.now, savedAt: context.now };
    const card = { provider: 'sandbox', providerMethodId: 'p', brand: 'visa', last4: '4242' };
    const method = { id: newId(), customerId, ...card, expiry: undefined, ...times };
    return (await replica.methods.save(method, context)).id;
  }

  const shown = async (customerId: string) =>
    (await replica.methods.listOf(customerId, context)).map(({ id, isDefault }) => [id, isDefault]);

  test('are listed with the default first, without methods that were only tried', async () => {
    const customerId = newId();
    expect(await shown(customerId)).toEqual([]);
    const first = await authorized(customerId, '4242424242424242');
    const [tried, second] = [await saved(customerId), await saved(customerId)];
    const use = { customerId, methodId: second, usedAt: context.now, savedAt: context.now };
    await replica.methods.keep(use, { asDefault: false }, context);
    expect(await shown(customerId)).toEqual([
      [first, true],
      [second, false],
    ]);
    expect(tried).not.toBe(second);
  });

  test('are removed permanently, and the last one leaves no default', async () => {
    const customerId = newId();
    const first = (await authorized(customerId, '4242424242424242')) ?? '';
    await replica.methods.remove({ customerId, methodId: first }, { isCharged: false }, context);
    await authorized(customerId, '4242424242424242');
    expect(await shown(customerId)).toEqual([]);
    expect(await replica.methods.defaultOf(customerId, context)).toBeUndefined();
    const isRemoved = (id: string) => replica.methods.isRemoved({ id, customerId }, context);
    expect([await isRemoved(first), await isRemoved(await saved(customerId))]).toEqual([
      true,
      false,
    ]);
  });

  test('are separate for each customer', async () => {
    const [customerId, other] = [newId(), newId()];
    const methodId = await saved(other);
    const use = { customerId, methodId, usedAt: context.now, savedAt: context.now };
    const unknown = { reason: 'PAYMENT_METHOD_NOT_FOUND' };
    await expect(replica.methods.keep(use, { asDefault: true }, context)).rejects.toMatchObject(
      unknown,
    );
    await expect(
      replica.methods.remove({ customerId, methodId }, { isCharged: false }, context),
    ).rejects.toMatchObject(unknown);
  });
});

test('include the default of a payer document from an earlier release', () => {
  const stored = {
    customerId: 'c',
    defaultMethodId: 'm',
    usedAt: new Date(0),
    savedAt: new Date(0),
  };
  expect(payerDefinition.fromDocument({ _id: 'p', ...stored })).toEqual({
    id: 'p',
    ...stored,
    methodIds: ['m'],
    removedIds: [],
  });
});
