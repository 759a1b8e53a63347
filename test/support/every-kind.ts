import type { ApiClient } from './api-client';
import { product } from './patterns';
import { card, Payer } from './payer';
import type { TestSystem } from './shared-system';

/** All kinds of events but those of payment methods that only their owner causes. */
export const everyKind = [
  'checkout.completed',
  'checkout.expired',
  'checkout_link.created',
  'checkout_link.updated',
  'customer.created',
  'customer.updated',
  'discount.created',
  'discount.updated',
  'invoice.created',
  'invoice.overdue',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_received',
  'invoice.uncollectible',
  'invoice.voided',
  'meter.created',
  'meter.deleted',
  'meter.updated',
  'meter_prices.replaced',
  'payment_method.added',
  'product.created',
  'product.updated',
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
  await causeInvoiceKinds(api, customerId);
  await causeResourceKinds(api, { customerId, productId });
  const paid = await create('/checkout', { customerId, productId });
  await create('/checkout', { customerId, productId });
  const payer = new Payer(gatewayUrl);
  await payer.submit(await payer.open(paid.checkoutUrl), card());
  await api.advanceTo('2026-02-28T00:00:00Z');
  await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`, { atPeriodEnd: true }));
  await api.advanceTo('2026-03-31T00:00:00Z');
}

/** A part payment of an invoice that falls overdue, a write-off and a void. */
async function causeInvoiceKinds(api: ApiClient, customerId: string): Promise<void> {
  const invoice = {
    ...{ customerId, collectionMethod: 'SEND_INVOICE', finalize: true },
    lines: [{ description: 'Setup', amount: 5000 }],
  };
  const issue = () => api.expect(201, api.post('/invoices', invoice));
  const { id: part } = await issue();
  const payment = { amount: 2000, method: 'BANK_TRANSFER' };
  await api.expect(201, api.post(`/invoices/${String(part)}/payments`, payment));
  for (const end of ['mark-uncollectible', 'void']) {
    const { id } = await issue();
    await api.expect(200, api.post(`/invoices/${String(id)}/${end}`));
  }
}

/** Creates, changes and deletes what is sold and metered. */
async function causeResourceKinds(
  api: ApiClient,
  { customerId, productId }: { readonly customerId: string; readonly productId: string },
): Promise<void> {
  const change = (path: string, body: object) =>
    api.expect(200, api.request('PATCH', path, { body }));
  await change(`/customers/${customerId}`, { name: 'Ada' });
  await change(`/products/${productId}`, { description: 'For teams' });
  const created = [
    ['/discounts', { name: 'Spring', type: 'PERCENTAGE', value: 10, duration: 'ONCE' }],
    ['/checkout-links', { label: 'Shop', productIds: [productId] }],
    ['/meters', { name: 'API calls' }],
  ] as const;
  for (const [path, body] of created) {
    const { id } = await api.expect(201, api.post(path, body));
    await change(`${path}/${String(id)}`, 'label' in body ? { label: 'Sale' } : { name: 'Summer' });
    if (path !== '/meters') continue;
    await replaceMeterPrices(api, String(id));
    await api.expect(204, api.delete(`${path}/${String(id)}`));
  }
}

async function replaceMeterPrices(api: ApiClient, meterId: string): Promise<void> {
  const { id } = await api.expect(201, api.post('/products', product));
  const body = { prices: [{ meterId, type: 'PER_UNIT', unitAmount: '2' }] };
  await api.expect(200, api.request('PATCH', `/products/${String(id)}/meter-prices`, { body }));
}
