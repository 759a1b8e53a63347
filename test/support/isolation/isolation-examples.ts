import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../api-client';
import { bouncedEmail, emailSettingsExamples } from './email-examples';
import { exportExamples } from './export-examples';
import { migrationExamples } from './migration-examples';
import { product, unknownId } from '../patterns';

/** One call of a route that names the owner's resources wherever the route takes an id. */
export interface RouteExample {
  readonly path: string;
  /** For lists: the same with filters that name the owner's resources. */
  readonly filtered?: string;
  readonly body?: unknown;
  /**
   * The statuses for strangers: 404, unless the call names none of the owner's resources and
   * affects their own environment.
   */
  readonly strangers?: readonly number[];
  /** Scopes that the route needs in addition to its own. */
  readonly scopes?: readonly string[];
  /** The owner's status, if it is no success. */
  readonly owner?: number;
}

/** A text in every resource of the owner, and in no other resource. */
export const ownerMark = 'owner-only';

/** The time at which the owner's environment begins. */
export const ownerTime = '2026-01-01T00:00:00Z';
// A day later the bank of the card disputes its payment.
const disputedTime = '2026-01-02T00:00:00Z';

const discountInput = { name: 'Spring', type: 'PERCENTAGE', value: 10, duration: 'FOREVER' };

/**
 * Builds a call of every route, with one resource of each kind created by the owner; by method and
 * path of the route.
 */
export async function routeExamples(owner: ApiClient): Promise<Record<string, RouteExample>> {
  const {
    customer,
    sold,
    discount,
    subscription,
    session,
    link,
    meter,
    endpoint,
    delivery,
    apiKey,
    entry,
    taxRate,
    creditNote,
    dispute,
    change,
    email,
    suppression,
  } = await ownerResources(owner);
  const resources = {
    customer: `/customers/${customer.id}`,
    product: `/products/${sold.id}`,
    discount: `/discounts/${discount.id}`,
    subscription: `/subscriptions/${subscription.id}`,
    invoice: `/invoices/${subscription.latestInvoiceId}`,
    meter: `/meters/${meter.id}`,
    endpoint: `/webhook-endpoints/${endpoint.id}`,
    delivery: `/webhook-endpoints/${endpoint.id}/deliveries/${delivery.id}`,
    messageId: delivery.messageId,
    apiKey: `/api-keys/${apiKey.id}`,
    link: `/checkout-links/${link.id}`,
    entry: `/balance-entries/${entry.id}`,
    taxRate: `/tax-rates/${taxRate.id}`,
    creditNote: `/credit-notes/${creditNote.id}`,
    refund: `/refunds/${creditNote.refunds[0].id}`,
    // On a real clock there is none yet.
    dispute: `/disputes/${dispute?.id ?? unknownId}`,
    email: `/emails/${email.id}`,
    attachment: `/emails/${email.id}/attachments/${email.content.attachments[0].filename}`,
    suppression: `/email-suppressions/${suppression.id}`,
    change: `/subscriptions/${subscription.id}/changes/${change.id}`,
  };
  const bought = { customerId: customer.id, productId: sold.id };
  return {
    ...listExamples({ customerId: customer.id, subscriptionId: subscription.id }),
    ...resourceExamples(resources),
    ...(await migrationExamples(owner, sold.priceId, ownerMark)),
    'POST /customers': { path: '/customers', body: { email: 'a@b.co' }, strangers: [201] },
    'POST /products': { path: '/products', body: product, strangers: [201] },
    'POST /discounts': { path: '/discounts', body: discountInput, strangers: [201] },
    'POST /discounts/validate': { path: '/discounts/validate', body: { code: ownerMark } },
    'POST /previews': {
      path: '/previews',
      body: { kind: 'CHANGE', subscriptionId: subscription.id, change: { quantity: 5 } },
    },
    'POST /checkout': { path: '/checkout', body: bought },
    'POST /portal/sessions': { path: '/portal/sessions', body: { customerId: customer.id } },
    'GET /checkout/:sessionId': { path: `/checkout/${session.sessionId}` },
    'POST /checkout-links': {
      path: '/checkout-links',
      body: { label: 'x', productIds: [sold.id] },
      // The product is a field of the link, and unknown to them.
      strangers: [400],
    },
    'POST /subscriptions': { path: '/subscriptions', body: bought },
    'POST /invoices': {
      path: '/invoices',
      body: { customerId: customer.id, lines: [{ description: ownerMark, amount: 1 }] },
    },
    'POST /balance-entries': {
      path: '/balance-entries',
      body: { customerId: customer.id, amount: 1, description: 'x' },
    },
    'POST /credit-notes': {
      path: '/credit-notes',
      body: { invoiceId: subscription.latestInvoiceId, amount: 1, reason: 'OTHER' },
    },
    'GET /portal/settings': { path: '/portal/settings', strangers: [200] },
    'PATCH /portal/settings': {
      path: '/portal/settings',
      body: { quantity: true },
      strangers: [200],
    },
    'GET /seller': { path: '/seller', strangers: [200] },
    'PATCH /seller': { path: '/seller', body: { footer: 'x' }, strangers: [200] },
    'GET /branding': { path: '/branding', strangers: [200] },
    'PATCH /branding': { path: '/branding', body: { displayName: 'x' }, strangers: [200] },
    ...emailSettingsExamples(customer.id),
    'POST /tax-rates': {
      path: '/tax-rates',
      body: { country: 'JP', percent: '10', name: 'Tax' },
      strangers: [201],
    },
    'POST /meters': { path: '/meters', body: { name: 'x' }, strangers: [201] },
    'POST /customers/:id/meter-credits': {
      path: `/customers/${customer.id}/meter-credits`,
      body: { meterId: meter.id, amount: 1 },
    },
    'POST /events/ingest': {
      path: '/events/ingest',
      body: { events: [{ customerId: customer.id, meterId: meter.id }] },
      // Each event is rejected alone.
      strangers: [201],
    },
    'POST /webhook-endpoints': {
      path: '/webhook-endpoints',
      body: { url: 'https://example.com' },
      strangers: [201],
    },
    'POST /api-keys': {
      path: '/api-keys',
      body: { name: 'x', scopes: ['api-keys:write'] },
      strangers: [201],
    },
    // Only live keys create sandboxes.
    'POST /sandboxes': { path: '/sandboxes', strangers: [201, 403], owner: 403 },
    'GET /sandboxes/clock': { path: '/sandboxes/clock', strangers: [200] },
    'POST /sandboxes/clock/advance': {
      path: '/sandboxes/clock/advance',
      body: { to: disputedTime },
      strangers: [409],
    },
    'GET /sandboxes': { path: '/sandboxes', strangers: [200, 403], owner: 403 },
    'PATCH /sandboxes/:id': {
      path: `/sandboxes/${unknownId}`,
      body: { name: 'x' },
      strangers: [404, 403],
      owner: 403,
    },
    'DELETE /sandboxes/:id': { path: `/sandboxes/${unknownId}`, strangers: [404, 403], owner: 403 },
    'DELETE /sandboxes/clock/advance': { path: '/sandboxes/clock/advance', strangers: [200] },
  };
}

async function ownerResources(owner: ApiClient) {
  const create = (path: string, body: object) => owner.expect(201, owner.post(path, body));
  // Created first, so that it has deliveries; it is sent none of them.
  const endpoint = await create('/webhook-endpoints', {
    url: `https://${ownerMark}.example.com`,
    description: ownerMark,
    active: false,
  });
  const customer = await create('/customers', {
    email: `${ownerMark}@example.com`,
    externalId: ownerMark,
    name: ownerMark,
    currency: 'EUR',
    metadata: { mark: ownerMark },
  });
  const sold = await create('/products', { ...product, name: ownerMark, lookupKey: ownerMark });
  const discount = await create('/discounts', {
    ...discountInput,
    name: ownerMark,
    code: ownerMark,
    metadata: { mark: ownerMark },
  });
  const { id: subscriptionId } = await create('/subscriptions', {
    customerId: customer.id,
    productId: sold.id,
    authorizedTransactionId: `txn_4000000000000259_${ownerMark}`,
    metadata: { mark: ownerMark },
  });
  // A busy machine answers before the first invoice exists.
  await owner.advanceTo(ownerTime);
  const path = `/subscriptions/${String(subscriptionId)}`;
  const subscription = await owner.expect(200, owner.get(path));
  const change = await create(`${path}/changes`, {
    quantity: 2,
    at: 'PERIOD_END',
    metadata: { mark: ownerMark },
  });
  const session = await create('/checkout', {
    customerId: customer.id,
    productId: sold.id,
    metadata: { mark: ownerMark },
  });
  const link = await create('/checkout-links', { label: ownerMark, productIds: [sold.id] });
  const meter = await create('/meters', { name: ownerMark, metadata: { mark: ownerMark } });
  await create('/events/ingest', {
    events: [{ customerId: customer.id, meterId: meter.id, eventId: ownerMark }],
  });
  await create(`/customers/${String(customer.id)}/meter-credits`, {
    meterId: meter.id,
    amount: 1,
    name: ownerMark,
  });
  const entry = await create('/balance-entries', {
    customerId: customer.id,
    amount: 1,
    description: ownerMark,
    metadata: { mark: ownerMark },
  });
  const creditNote = await create('/credit-notes', {
    invoiceId: subscription.latestInvoiceId,
    ...{ amount: 1, reason: 'OTHER', settle: 'REFUND' },
    memo: ownerMark,
  });
  const taxRate = await create('/tax-rates', { country: 'US', percent: 5, name: ownerMark });
  const apiKey = await create('/api-keys', { name: ownerMark });
  // Completes the work that the creations caused.
  await owner.advanceTo(disputedTime);
  const { data: disputes } = await owner.expect(200, owner.get('/disputes'));
  const delivery = await firstDelivery(owner, `/webhook-endpoints/${String(endpoint.id)}`);
  return {
    customer,
    sold,
    discount,
    subscription,
    session,
    link,
    meter,
    endpoint,
    delivery,
    apiKey,
    entry,
    taxRate,
    creditNote,
    dispute: disputes[0],
    change,
    ...(await bouncedEmail(owner)),
  };
}

/** The first delivery of the subscription's creation, once both of them exist. */
async function firstDelivery(owner: ApiClient, endpoint: string): Promise<any> {
  return eventually(async () => {
    const { data, total } = await owner.expect(200, owner.get(`${endpoint}/deliveries`));
    if (total < 2) throw new Error(`The endpoint has ${String(total)} deliveries`);
    return data[0];
  });
}

function listExamples({
  customerId,
  subscriptionId,
}: {
  customerId: string;
  subscriptionId: string;
}): Record<string, RouteExample> {
  const list = (path: string, filters?: string): RouteExample => ({
    path: `${path}?perPage=100`,
    strangers: [200],
    ...(filters === undefined ? {} : { filtered: `${path}?${filters}` }),
  });
  return {
    'GET /customers': list('/customers', `email=${ownerMark}@example.com&externalId=${ownerMark}`),
    'GET /products': list('/products', `lookupKey=${ownerMark}`),
    'GET /discounts': list('/discounts', `code=${ownerMark}&active=true`),
    'GET /checkout-links': list('/checkout-links', 'active=true'),
    'GET /subscriptions': list('/subscriptions', `customerId=${customerId}`),
    'GET /balances': list('/balances', `customerId=${customerId}`),
    'GET /balance-entries': list('/balance-entries', `customerId=${customerId}`),
    'GET /credit-notes': list('/credit-notes', `customerId=${customerId}`),
    'GET /refunds': list('/refunds', `customerId=${customerId}`),
    'GET /disputes': list('/disputes', `customerId=${customerId}`),
    'GET /invoices': list('/invoices', `subscriptionId=${subscriptionId}`),
    'GET /tax-rates': list('/tax-rates', 'country=US'),
    'GET /tax-report': { path: '/tax-report?from=2026-01-01&to=2026-02-01', strangers: [200] },
    'GET /meters': { path: '/meters', strangers: [200] },
    'GET /events': list('/events', `customerId=${customerId}`),
    'GET /webhook-endpoints': list('/webhook-endpoints'),
    'GET /webhook-events': { path: '/webhook-events', strangers: [200] },
    'GET /emails': list('/emails', `customerId=${customerId}`),
    'GET /email-suppressions': list('/email-suppressions', `email=${ownerMark}@example.com`),
    // Only sandboxes have an inbox.
    'GET /sandboxes/inbox': { path: '/sandboxes/inbox', strangers: [200, 409] },
    // Those of the installation, for every environment.
    'GET /restores': { path: '/restores', strangers: [200] },
    ...exportExamples,
    'GET /api-keys': list('/api-keys'),
  };
}

function resourceExamples(
  paths: Readonly<
    Record<
      | 'customer'
      | 'product'
      | 'discount'
      | 'subscription'
      | 'invoice'
      | 'meter'
      | 'endpoint'
      | 'delivery'
      | 'messageId'
      | 'apiKey'
      | 'email'
      | 'attachment'
      | 'suppression'
      | 'link'
      | 'entry'
      | 'taxRate'
      | 'creditNote'
      | 'refund'
      | 'dispute'
      | 'change',
      string
    >
  >,
): Record<string, RouteExample> {
  const { customer, product, discount, subscription, invoice, meter, endpoint, delivery } = paths;
  return {
    'GET /customers/:id': { path: customer },
    'GET /customers/:id/meter-credits': { path: `${customer}/meter-credits` },
    'GET /customers/:id/state': { path: `${customer}/state` },
    'PATCH /customers/:id': { path: customer, body: { name: 'Changed' } },
    'GET /products/:id': { path: product },
    'PATCH /products/:id': { path: product, body: { name: 'Changed', amount: 1 } },
    'PATCH /products/:id/meter-prices': {
      path: `${product}/meter-prices`,
      body: { prices: [] },
    },
    'GET /discounts/:id': { path: discount },
    'PATCH /discounts/:id': { path: discount, body: { name: 'Changed', active: false } },
    'GET /checkout-links/:id': { path: paths.link },
    'PATCH /checkout-links/:id': {
      path: paths.link,
      body: { label: 'Changed', active: false },
    },
    'GET /subscriptions/:id': { path: subscription },
    'PATCH /subscriptions/:id': { path: subscription, body: { metadata: { changed: true } } },
    'POST /subscriptions/:id/cancel': {
      path: `${subscription}/cancel`,
      body: { atPeriodEnd: true },
    },
    'POST /subscriptions/:id/uncancel': { path: `${subscription}/uncancel` },
    'POST /subscriptions/:id/changes': {
      path: `${subscription}/changes`,
      body: { quantity: 3, at: 'NOW' },
    },
    'GET /subscriptions/:id/changes': { path: `${subscription}/changes` },
    'GET /subscriptions/:id/changes/:changeId': { path: paths.change },
    'DELETE /subscriptions/:id/changes/:changeId': { path: paths.change },
    'GET /balance-entries/:id': { path: paths.entry },
    'GET /credit-notes/:id': { path: paths.creditNote },
    'GET /credit-notes/:id/pdf': { path: `${paths.creditNote}/pdf` },
    // The note is not taxed.
    'GET /credit-notes/:id/e-invoice': { path: `${paths.creditNote}/e-invoice`, owner: 409 },
    'GET /refunds/:id': { path: paths.refund },
    // It has succeeded.
    'POST /refunds/:id/settle': {
      path: `${paths.refund}/settle`,
      body: { to: 'BALANCE' },
      owner: 409,
    },
    'GET /disputes/:id': {
      path: paths.dispute,
      ...(paths.dispute.endsWith(unknownId) && { owner: 404 }),
    },
    'GET /tax-rates/:id': { path: paths.taxRate },
    'PATCH /tax-rates/:id': { path: paths.taxRate, body: { name: 'Changed' } },
    'GET /invoices/:id': { path: invoice },
    'GET /invoices/:id/pdf': { path: `${invoice}/pdf` },
    // It is not taxed.
    'GET /invoices/:id/e-invoice': { path: `${invoice}/e-invoice`, owner: 409 },
    // The invoice is paid already.
    'POST /invoices/:id/pay': { path: `${invoice}/pay`, owner: 409 },
    // It belongs to a subscription.
    'PATCH /invoices/:id': { path: invoice, body: { memo: 'Changed' }, owner: 409 },
    'DELETE /invoices/:id': { path: invoice, owner: 409 },
    'POST /invoices/:id/finalize': { path: `${invoice}/finalize`, owner: 409 },
    'POST /invoices/:id/payments': {
      path: `${invoice}/payments`,
      body: { method: 'CASH' },
      owner: 409,
    },
    'POST /invoices/:id/mark-uncollectible': { path: `${invoice}/mark-uncollectible`, owner: 409 },
    'POST /invoices/:id/send': { path: `${invoice}/send` },
    'POST /invoices/:id/void': { path: `${invoice}/void`, owner: 409 },
    'PATCH /meters/:id': { path: meter, body: { name: 'Changed', active: false } },
    // The customer has an active subscription.
    'DELETE /customers/:id': { path: customer, owner: 409 },
    'DELETE /meters/:id': { path: meter },
    'GET /webhook-endpoints/:id': { path: endpoint },
    'PATCH /webhook-endpoints/:id': { path: endpoint, body: { description: 'Changed' } },
    'DELETE /webhook-endpoints/:id': { path: endpoint },
    'POST /webhook-endpoints/:id/rotate-secret': { path: `${endpoint}/rotate-secret` },
    // The endpoint is not active.
    'POST /webhook-endpoints/:id/test': { path: `${endpoint}/test`, owner: 409 },
    'POST /webhook-endpoints/:id/replay': {
      path: `${endpoint}/replay`,
      body: { since: ownerTime },
      owner: 409,
    },
    'POST /webhook-endpoints/:id/deliveries/:deliveryId/retry': {
      path: `${delivery}/retry`,
      owner: 409,
    },
    'GET /webhook-endpoints/:id/deliveries': { path: `${endpoint}/deliveries` },
    'GET /webhook-endpoints/:id/gaps': { path: `${endpoint}/gaps?since=${ownerTime}` },
    'GET /emails/:id': { path: paths.email },
    'GET /emails/:id/attachments/:filename': { path: paths.attachment },
    'POST /emails/:id/resend': { path: `${paths.email}/resend` },
    'POST /emails/:id/bounce': { path: `${paths.email}/bounce`, body: { type: 'HARD' } },
    'DELETE /email-suppressions/:id': { path: paths.suppression },
    'GET /webhook-events/:id': { path: `/webhook-events/${paths.messageId}` },
    'DELETE /api-keys/:id': { path: paths.apiKey },
  };
}
