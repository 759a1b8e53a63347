import { aProduct, type CrashFlow } from './flow';
import type { PersistentClient } from '../support/persistent-client';

const externalId = 'acme';
const lookupKey = 'pro';
const code = 'TENTH';
const tenth = { name: 'Tenth', type: 'PERCENTAGE', value: 10, duration: 'ONCE' };

async function idsOf(client: PersistentClient, list: string): Promise<string[]> {
  const { data } = await client.get(list);
  return data.map(({ id }: { id: string }) => id);
}

const keys: CrashFlow = {
  name: 'natural keys that are claimed, released and claimed by another',
  prepare: async (client) => {
    const [first, second] = [await aProduct(client), await aProduct(client)];
    return { first: first.productId, second: second.productId };
  },
  act: async (client, { first, second }) => {
    const { id: customerId } = await client.post(201, '/customers', {
      email: 'ada@example.com',
      externalId,
    });
    await client.post(409, '/customers', { email: 'bob@example.com', externalId });
    await client.patch(`/products/${first as string}`, { lookupKey });
    await client.patch(`/products/${first as string}`, { lookupKey: 'pro-2025' });
    await client.patch(`/products/${second as string}`, { lookupKey });
    const { id: discountId } = await client.post(201, '/discounts', { ...tenth, code });
    await client.post(409, '/discounts', { ...tenth, code: code.toLowerCase() });
    return { customerId, discountId, first, second };
  },
  expectGoal: async (client, { customerId, discountId, first, second }) => {
    expect(await idsOf(client, `/customers?externalId=${externalId}`)).toEqual([customerId]);
    expect(await idsOf(client, `/products?lookupKey=${lookupKey}`)).toEqual([second]);
    expect(await idsOf(client, '/products?lookupKey=pro-2025')).toEqual([first]);
    expect(await idsOf(client, '/discounts')).toEqual([discountId]);
    expect(await idsOf(client, '/customers')).toEqual([customerId]);
  },
};

export const claimFlows: readonly CrashFlow[] = [keys];
