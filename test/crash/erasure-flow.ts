import { MongoClient } from 'mongodb';
import { eventually } from '@billing/chassis/testing';
import type { PersistentClient } from '../support/persistent-client';
import type { TestDatabases } from '../support/shared-system';
import { aProduct, type CrashFlow, invoicesOf } from './flow';

// The second look follows 20 s after the deletion; a step whose worker died is resumed later.
const steps = { timeoutMs: 200_000, everyMs: 500 };
const externalId = 'leaver';
const person = {
  ...{ email: 'leaver@example.com', name: 'Leaver Lovelace', externalId },
  metadata: { note: 'leaver' },
};

/** A deletion of a customer, until its second look is done. */
export const erasure: CrashFlow = {
  name: 'erasure of a customer',
  prepare: async (client) => {
    const { id: customerId } = await client.post(201, '/customers', person);
    const { productId } = await aProduct(client);
    const subscription = await client.post(201, '/subscriptions', {
      ...{ customerId, productId, authorizedTransactionId: 'txn_4242424242424242' },
      metadata: { note: 'leaver' },
    });
    await client.post(201, '/portal/sessions', { customerId });
    await client.post(200, `/subscriptions/${subscription.id as string}/cancel`);
    return { customerId, subscriptionId: subscription.id };
  },
  act: async (client, prepared, databases) => {
    const path = `/customers/${prepared.customerId as string}`;
    const { status } = await client.answer(() => client.api.delete(path));
    // Not found: the answer to the deletion was lost.
    expect([204, 404]).toContain(status);
    client.api.acknowledged.set(path, undefined);
    await untilStep('EVENTS', prepared.customerId as string, databases);
    return prepared;
  },
  expectGoal: async (client, { customerId, subscriptionId }) => {
    const { status } = await client.answer(() => client.api.get(`/customers/${customerId}`));
    expect(status).toBe(404);
    expect(await idsOf(client, '/customers')).toEqual([]);
    expect(await client.get(`/subscriptions/${subscriptionId as string}`)).toMatchObject({
      ...{ status: 'CANCELED', metadata: {} },
      customer: { id: customerId, email: null, name: null },
    });
    expect(await invoicesOf(client, subscriptionId as string)).toMatchObject([
      { status: 'PAID', total: 2900 },
    ]);
    const again = await client.post(201, '/customers', person);
    expect(await idsOf(client, `/customers?externalId=${externalId}`)).toEqual([again.id]);
  },
};

/** Usage that is sent while its customer is deleted: what is accepted is billed. */
export const erasureWithUsage: CrashFlow = {
  name: 'erasure of a customer whose usage goes on',
  prepare: async (client) => {
    const { id: customerId } = await client.post(201, '/customers', person);
    const { id: meterId } = await client.post(201, '/meters', {
      ...{ name: 'Calls', aggregation: 'SUM' },
    });
    const { productId } = await aProduct(client);
    const prices = [{ meterId, unitAmount: '10' }];
    await client.patch(`/products/${productId}/meter-prices`, { prices });
    const subscription = await client.post(201, '/subscriptions', {
      ...{ customerId, productId, authorizedTransactionId: 'txn_4242424242424242' },
    });
    await client.post(200, `/subscriptions/${subscription.id as string}/cancel`);
    return { customerId, meterId, subscriptionId: subscription.id };
  },
  act: async (client, prepared, databases) => {
    const { customerId, meterId } = prepared as Record<string, string>;
    let accepted = 0;
    const send = async () => {
      const events = [{ eventId: `leaver ${String(accepted)}`, customerId, meterId, quantity: 1 }];
      const { rejected } = await client.post(201, '/events/ingest', { events });
      if (rejected.length === 0) accepted += 1;
      return rejected.length === 0;
    };
    const path = `/customers/${customerId!}`;
    const deletion = eventually(async () => {
      // 409 while the last bill is charged. Not found: the answer to the deletion was lost.
      const { status } = await client.answer(() => client.api.delete(path));
      expect([204, 404]).toContain(status);
    }, steps);
    let isSending = true;
    while (isSending) isSending = await send();
    await deletion;
    client.api.acknowledged.set(path, undefined);
    await untilStep('EVENTS', customerId!, databases);
    return { ...prepared, accepted };
  },
  expectGoal: async (client, { subscriptionId, accepted }) => {
    const invoices = await invoicesOf(client, subscriptionId as string);
    const lines = invoices.flatMap(({ lineItems }) => lineItems as any[]);
    const usage = lines.filter(({ meterId }) => meterId !== null);
    const billed = usage.reduce((sum: number, { quantity }) => sum + Number(quantity), 0);
    // An event whose answer was lost is refused when it is sent again after the deletion.
    expect([0, 1]).toContain(billed - Number(accepted));
    for (const { status } of invoices) expect(['PAID', 'UNCOLLECTIBLE']).toContain(status);
  },
};

async function idsOf(client: PersistentClient, list: string): Promise<string[]> {
  const { data } = await client.get(list);
  return data.map(({ id }: { id: string }) => id);
}

/** Waits until no command of the deletion is left, and the next step is the given one. */
async function untilStep(step: string, id: string, databases: TestDatabases): Promise<void> {
  const client = new MongoClient(databases.uri);
  try {
    const customers = client
      .db(`${databases.prefix}_customer`)
      .collection<{ _id: string }>('customers');
    await eventually(async () => {
      const found = await customers.findOne({ _id: id });
      expect(found).toMatchObject({ eraseStep: step, pendingSince: null });
    }, steps);
  } finally {
    await client.close();
  }
}
