import type { ApiClient } from './api-client';
import { product } from './patterns';
import { card, Payer } from './payer';
import type { TestSystem } from './shared-system';

/** All kinds of events. */
export const everyKind = [
  'checkout.completed',
  'checkout.expired',
  'subscription.canceled',
  'subscription.created',
  'subscription.payment_failed',
  'subscription.payment_succeeded',
  'subscription.renewed',
  'subscription.updated',
];

/** The kinds that an endpoint receives by default. */
export const kindsOfSubscriptions = everyKind.filter((kind) => kind.startsWith('subscription.'));

/** Triggers every kind of event in a sandbox whose clock is at the end of January 2026. */
export async function causeEveryKind(
  api: ApiClient,
  { gatewayUrl }: Pick<TestSystem, 'gatewayUrl'>,
): Promise<void> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'a@example.com' });
  const { id: other } = await create('/customers', { email: 'b@example.com' });
  const { id: productId } = await create('/products', product);
  const subscribe = (to: string, authorizedTransactionId: string) =>
    create('/subscriptions', { customerId: to, productId, authorizedTransactionId });
  const { id } = await subscribe(customerId, 'txn_4242424242424242');
  await subscribe(other, 'txn_4000000000000002');
  const paid = await create('/checkout', { customerId, productId });
  await create('/checkout', { customerId, productId });
  const payer = new Payer(gatewayUrl);
  await payer.submit(await payer.open(paid.checkoutUrl), card());
  await api.advanceTo('2026-02-28T00:00:00Z');
  await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`, { atPeriodEnd: true }));
  await api.advanceTo('2026-03-31T00:00:00Z');
}
