import type { ApiClient } from './api-client';

/** Creates a sandbox whose subscriptions renew every day of its manual clock. */
export async function dailySandbox(
  live: ApiClient,
  { startsAt, subscriptionCount }: { startsAt: string; subscriptionCount: number },
): Promise<ApiClient> {
  const sandbox = await live.manualSandbox(startsAt);
  const made = async (path: string, body: object): Promise<string> =>
    (await sandbox.expect(201, sandbox.post(path, body))).id;
  const price = { type: 'FLAT', currency: 'USD', amount: 100, billingInterval: 'DAILY' };
  const productId = await made('/products', { name: 'Daily', ...price });
  const customerId = await made('/customers', { email: 'ada@example.com' });
  const authorizedTransactionId = 'txn_4242424242424242';
  for (let n = 0; n < subscriptionCount; n += 1)
    await made('/subscriptions', { customerId, productId, authorizedTransactionId });
  return sandbox;
}
