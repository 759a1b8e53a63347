import { aCustomer, aProduct, type CrashFlow, numberedInvoicesOf, renewalDay } from './flow';
import type { PersistentClient } from '../support/persistent-client';

const secondRenewalDay = '2026-03-31T00:00:00.000Z';
const middle = '2026-02-20T00:00:00.000Z';

interface MeteredCustomer {
  readonly customerId: string;
  readonly meterId: string;
  readonly subscriptionId: string;
}

/**
 * Creates a customer subscribed to a product that also prices a meter at 2 per unit beyond 10; 30
 * units are granted.
 */
async function aMeteredCustomer(client: PersistentClient): Promise<MeteredCustomer> {
  const { id: meterId } = await client.post(201, '/meters', { name: 'Calls', aggregation: 'SUM' });
  const { productId } = await aMeteredProduct(client, meterId as string, '2');
  const { customerId } = await aCustomer(client);
  await client.post(201, `/customers/${customerId}/meter-credits`, { meterId, amount: '30' });
  const authorizedTransactionId = 'txn_4242424242424242';
  const purchase = { customerId, productId, authorizedTransactionId };
  const { id: subscriptionId } = await client.post(201, '/subscriptions', purchase);
  return { customerId, meterId: meterId as string, subscriptionId: subscriptionId as string };
}

/** Creates a product that includes 10 units of the meter. */
async function aMeteredProduct(
  client: PersistentClient,
  meterId: string,
  unitAmount: string,
): Promise<{ productId: string }> {
  const { productId } = await aProduct(client);
  const prices = [{ meterId, unitAmount, includedUnits: '10' }];
  await client.patch(`/products/${productId}/meter-prices`, { prices });
  return { productId };
}

/** Sends events that count once, however often they are sent. */
async function use(
  client: PersistentClient,
  { customerId, meterId }: MeteredCustomer,
  quantities: Readonly<Record<string, number>>,
): Promise<void> {
  const events = Object.entries(quantities).map(([day, quantity]) => ({
    eventId: `${customerId} ${day}`,
    customerId,
    meterId,
    quantity,
    timestamp: `${day}T12:00:00Z`,
  }));
  await client.post(201, '/events/ingest', { events });
}

async function usageLines(client: PersistentClient, subscriptionId: string): Promise<unknown[]> {
  return (await numberedInvoicesOf(client, subscriptionId)).map(({ status, lineItems }) => [
    status,
    ...lineItems
      .filter(({ meterId }: { meterId: string | null }) => meterId !== null)
      .map(({ quantity, amount }: { quantity: string; amount: number }) => [quantity, amount]),
  ]);
}

async function creditsUsed(
  client: PersistentClient,
  { customerId }: MeteredCustomer,
): Promise<unknown[]> {
  const { data } = await client.get(`/customers/${customerId}/meter-credits`);
  return data.map(({ consumed, remaining }: any) => ({ consumed, remaining }));
}

const month: CrashFlow = {
  name: 'usage of a month with credits, and an event that comes late',
  prepare: aMeteredCustomer,
  act: async (client, metered) => {
    await client.advanceTo(middle);
    await use(client, metered, { '2026-02-05': 100, '2026-02-19': 50 });
    await client.advanceTo(renewalDay);
    await use(client, metered, { '2026-02-18': 7 });
    await client.advanceTo(secondRenewalDay);
    return metered;
  },
  expectGoal: async (client, metered) => {
    expect(await usageLines(client, metered.subscriptionId as string)).toEqual([
      ['PAID'],
      // 150 units, 10 of them included and 30 granted.
      ['PAID', ['150', 220]],
      ['PAID', ['7', 14]],
    ]);
    expect(await creditsUsed(client, metered as MeteredCustomer)).toEqual([
      { consumed: '30', remaining: '0' },
    ]);
  },
};

const lastDays: CrashFlow = {
  name: 'usage that a cancellation at once bills',
  prepare: async (client) => {
    const metered = await aMeteredCustomer(client);
    await client.advanceTo(middle);
    return metered;
  },
  act: async (client, metered) => {
    await use(client, metered as MeteredCustomer, { '2026-02-05': 100 });
    await client.post(200, `/subscriptions/${metered.subscriptionId as string}/cancel`);
    return metered;
  },
  expectGoal: async (client, metered) => {
    expect(await usageLines(client, metered.subscriptionId as string)).toEqual([
      ['PAID'],
      ['PAID', ['100', 120]],
    ]);
  },
};

const pause: CrashFlow = {
  name: 'usage before a pause, and after it',
  prepare: (client) => lastDays.prepare(client),
  act: async (client, metered) => {
    const changes = `/subscriptions/${metered.subscriptionId as string}/changes`;
    await use(client, metered as MeteredCustomer, { '2026-02-05': 100 });
    await client.post(201, changes, { kind: 'PAUSE', at: 'NOW' });
    await client.advanceTo('2026-02-24T00:00:00.000Z');
    await client.post(201, changes, { kind: 'RESUME' });
    await client.advanceTo(renewalDay);
    await use(client, metered as MeteredCustomer, { '2026-02-25': 40 });
    await client.advanceTo('2026-03-24T00:00:00.000Z');
    return metered;
  },
  expectGoal: async (client, metered) => {
    expect(await usageLines(client, metered.subscriptionId as string)).toEqual([
      ['PAID'],
      // 10 units are included and 30 granted.
      ['PAID', ['100', 120]],
      ['PAID'],
      ['PAID', ['40', 60]],
    ]);
  },
};

const newCycle: CrashFlow = {
  name: 'new cycle with usage',
  prepare: async (client) => {
    const metered = await lastDays.prepare(client);
    return { ...metered, ...(await aMeteredProduct(client, metered.meterId as string, '3')) };
  },
  act: async (client, { productId, ...metered }) => {
    await use(client, metered as MeteredCustomer, { '2026-02-05': 100 });
    const changes = `/subscriptions/${metered.subscriptionId as string}/changes`;
    await client.post(201, changes, { productId, proration: 'FULL_AND_RESET' });
    await client.advanceTo(renewalDay);
    await use(client, metered as MeteredCustomer, { '2026-02-25': 40 });
    await client.advanceTo('2026-03-20T00:00:00.000Z');
    return metered;
  },
  expectGoal: async (client, metered) => {
    expect(await usageLines(client, metered.subscriptionId as string)).toEqual([
      ['PAID'],
      ['PAID'],
      // At 2 each until the change: 10 units are included and 30 granted.
      ['PAID', ['100', 120]],
      // At 3 each after it.
      ['PAID', ['40', 90]],
    ]);
  },
};

export const usageFlows: readonly CrashFlow[] = [month, lastDays, pause, newCycle];
