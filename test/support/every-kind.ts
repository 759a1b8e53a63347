import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from './api-client';
import { product } from './patterns';
import { card, Payer } from './payer';
import type { TestSystem } from './shared-system';

/**
 * All kinds of events but those of payment methods that only their owner causes, failures of mails,
 * which sandboxes do not have, and that of a restore.
 */
export const everyKind = [
  'checkout.completed',
  'checkout.expired',
  'checkout_link.created',
  'checkout_link.updated',
  'credit_note.created',
  'customer.created',
  'customer.deleted',
  'customer.updated',
  'discount.created',
  'discount.updated',
  'dispute.closed',
  'dispute.opened',
  'email.bounced',
  'invoice.created',
  'invoice.overdue',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_received',
  'invoice.reminded',
  'invoice.uncollectible',
  'invoice.voided',
  'meter.created',
  'meter.deleted',
  'meter.updated',
  'meter_prices.replaced',
  'payment_method.added',
  'product.created',
  'product.updated',
  'refund.failed',
  'refund.succeeded',
  'refund.updated',
  'subscription.canceled',
  'subscription.created',
  'subscription.payment_failed',
  'subscription.payment_succeeded',
  'subscription.renewal_upcoming',
  'subscription.renewed',
  'subscription.trial_ending',
  'subscription.updated',
];

/** The kinds that an endpoint receives by default. */
export const kindsOfSubscriptions = [
  'subscription.canceled',
  'subscription.created',
  'subscription.payment_failed',
  'subscription.payment_succeeded',
  'subscription.renewed',
  'subscription.updated',
];

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
  await causeChange(api, customerId);
  await causeWarnings(api, customerId);
  await causeInvoiceKinds(api, customerId);
  await causeCreditKinds(api);
  await causeResourceKinds(api, { customerId, productId });
  const paid = await create('/checkout', { customerId, productId });
  await create('/checkout', { customerId, productId });
  const payer = new Payer(gatewayUrl);
  await payer.submit(await payer.open(paid.checkoutUrl), card());
  await api.advanceTo('2026-02-28T00:00:00Z');
  await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`, { atPeriodEnd: true }));
  await api.advanceTo('2026-03-31T00:00:00Z');
}

/** A change of a subscription that is paid at once. */
async function causeChange(api: ApiClient, customerId: string): Promise<void> {
  const seats = { ...product, type: 'PER_UNIT' };
  const { id: productId } = await api.expect(201, api.post('/products', seats));
  const { id } = await api.expect(201, api.post('/subscriptions', { customerId, productId }));
  const path = `/subscriptions/${String(id)}/changes`;
  await api.complete(() => api.expect(201, api.post(path, { quantity: 2 })));
}

/** Subscriptions with a trial, and with a yearly period that ends in the middle of March. */
async function causeWarnings(api: ApiClient, customerId: string): Promise<void> {
  const warned = [
    [{ trialDays: 14 }, {}],
    [{ billingInterval: 'YEARLY' }, { startAt: '2025-03-15T00:00:00.000Z' }],
  ] as const;
  for (const [price, start] of warned) {
    const { id } = await api.expect(201, api.post('/products', { ...product, ...price }));
    const subscription = { customerId, productId: id, ...start };
    await api.expect(201, api.post('/subscriptions', subscription));
  }
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

/**
 * A refund, one that fails and is settled to the balance, a charge that its payer disputes, and
 * mails that bounce.
 */
async function causeCreditKinds(api: ApiClient): Promise<void> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  for (const card of ['4242424242424242', '4000000000005134', '4000000000000259']) {
    // One card each: a second one of a customer would announce that it is the default.
    const { id: customerId } = await create('/customers', { email: 'c@bounce.example' });
    const lines = [{ description: 'Setup', amount: 5000 }];
    const { id: invoiceId } = await create('/invoices', { customerId, lines, finalize: true });
    const authorizedTransactionId = `txn_${card}_credited`;
    const paid = api.post(`/invoices/${String(invoiceId)}/pay`, { authorizedTransactionId });
    await api.expect(200, paid);
    const note = { invoiceId, amount: 100, reason: 'GOODWILL', settle: 'REFUND' };
    const { refunds } = await create('/credit-notes', note);
    const refund = `/refunds/${String(refunds[0].id)}`;
    // The answer waits eight seconds for the refund.
    const { status } = await eventually(async () => {
      const one = await api.expect(200, api.get(refund));
      expect(one.status).not.toBe('PENDING');
      return one;
    });
    if (status !== 'FAILED') continue;
    await api.expect(200, api.post(`${refund}/settle`, { to: 'BALANCE' }));
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
  const { id: leaving } = await api.expect(201, api.post('/customers', { email: 'd@example.com' }));
  await api.expect(204, api.delete(`/customers/${String(leaving)}`));
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
