import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { cards } from '../scenario/scenario';
import type { WebhookReceiver } from '../support/webhook-receiver';

// Executes if it is inserted into a page as markup, into an attribute, or into a script; the mark
// at the end reverses the rest of the line.
const markup = '<script>__x=1</script>"><img src=x onerror=__x=1>\u202e';

/**
 * A text that executes wherever it is not escaped, of the maximum length, with a mark by which it
 * is found again.
 */
export function hostile(mark: string, length = 120): string {
  const text = `${mark} ${markup}`;
  if (text.length > length) throw new Error(`${mark} has room for ${String(length)} characters`);
  const more = `'><svg onload=__x=1> javascript:__x=1 {{__x=1}} \${__x=1} </textarea></title> `;
  return text.padEnd(length, more);
}

/** Hostile texts in every displayed field, and the places that show them. */
export interface HostileData {
  /** One id of each kind, by the path of the dashboard's page: `/customers/:id`. */
  readonly ids: Readonly<Record<string, string>>;
  /** The addresses of pages that need no sign-in. */
  readonly publicPages: readonly string[];
  /** A sign-in link of the portal. */
  readonly portalUrl: string;
}

/** Marks of fields that the dashboard shows somewhere. */
export const shownMarks: readonly string[] = [
  'customer-name',
  'customer-external-id',
  'customer-line1',
  'customer-city',
  'customer-metadata',
  'product-name',
  'product-description',
  'discount-name',
  'meter-name',
  'meter-unit',
  'credit-name',
  'credit-note-memo',
  'endpoint-description',
  'endpoint-url',
  'endpoint-answer',
  'key-name',
  'subscription-metadata',
  'price-migration-metadata',
  'sandbox-name',
  'operator-name',
  'called-path',
];

/** Fills every field that the API stores. */
export async function writeHostileTexts(
  api: ApiClient,
  receiver: WebhookReceiver,
): Promise<HostileData> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  receiver.says = hostile('endpoint-answer', 2_000);
  receiver.respond = () => 500;
  const endpoint = await create('/webhook-endpoints', {
    url: `${receiver.url}/endpoint-url/${encodeURI(markup)}?"><script>__x=1</script>`,
    description: hostile('endpoint-description', 200),
  });
  const created = await api.post('/customers', {
    email: 'hostile@example.com',
    externalId: hostile('customer-external-id', 255),
    name: hostile('customer-name', 200),
    phone: '"><img src=x onerror=__x=1>',
    address: {
      line1: hostile('customer-line1', 200),
      line2: hostile('customer-line2', 200),
      city: hostile('customer-city', 200),
      state: hostile('customer-state', 200),
      postalCode: hostile('customer-code', 200),
    },
    metadata: { mark: hostile('customer-metadata', 500) },
  });
  const customerId = (await api.expect(201, Promise.resolve(created))).id as string;
  const { product, discount } = await offer(create);
  const { id: meterId } = await create('/meters', {
    name: hostile('meter-name', 120),
    unit: hostile('meter-unit', 60 + markup.length).slice(0, 60),
    metadata: { mark: hostile('meter-metadata', 500) },
  });
  const prices = [{ meterId, unitAmount: '0.5', includedUnits: 10 }];
  const path = `/products/${String(product.id)}/meter-prices`;
  await api.expect(200, api.request('PATCH', path, { body: { prices } }));
  const subscription = await create('/subscriptions', {
    customerId,
    productId: product.id,
    discountId: discount.id,
    authorizedTransactionId: cards.good,
    metadata: { mark: hostile('subscription-metadata', 500) },
  });
  await create(`/customers/${customerId}/meter-credits`, {
    meterId,
    amount: 5,
    name: hostile('credit-name', 200),
  });
  const properties = { mark: hostile('event-property', 200) };
  const event = { customerId, meterId, quantity: 7, eventId: hostile('event-id', 255), properties };
  await create('/events/ingest', { events: [event] });
  await create('/api-keys', { name: hostile('key-name', 120) });
  const publicPages = await openPages(create, { customerId, productId: product.id });
  const invoiceId = subscription.latestInvoiceId as string;
  const { hostedUrl } = await api.expect(200, api.get(`/invoices/${invoiceId}`));
  const creditNoteId = await creditNote(create, customerId);
  const portal = await create('/portal/sessions', { customerId, returnUrl: hostileAddress });
  await attempted(api, endpoint.id as string);
  return {
    ids: {
      '/customers/:id': customerId,
      '/subscriptions/:id': subscription.id,
      '/invoices/:id': invoiceId,
      '/credit-notes/:id': creditNoteId,
      '/products/:id': product.id,
      '/discounts/:id': discount.id,
      '/emails/:id': await anEmail(api),
      '/settings/email/:kind/:language': 'RECEIPT/en',
      '/price-migrations/:id': await priceMigration(create, customerId),
      '/developers/webhooks/:id': endpoint.id,
      '/developers/requests/:id': created.headers.get('x-request-id') ?? '',
    },
    publicPages: [...publicPages, hostedUrl],
    portalUrl: portal.url,
  };
}

/** A mail that names the customer and the product. */
async function anEmail(api: ApiClient): Promise<string> {
  return eventually(async () => {
    const { data } = await api.expect(200, api.get('/emails'));
    if (data.length === 0) throw new Error('No mail yet');
    return data[0].id as string;
  });
}

const hostileAddress = 'https://shop.example/"><script>__x=1</script>?a=\'onerror=__x=1';

async function creditNote(
  create: (path: string, body: object) => Promise<any>,
  customerId: string,
): Promise<string> {
  const invoice = await create('/invoices', {
    ...{ customerId, currency: 'USD', collectionMethod: 'SEND_INVOICE', finalize: true },
    lines: [{ description: hostile('line-description', 200), amount: 1_000 }],
  });
  const memo = hostile('credit-note-memo', 500);
  const note = { invoiceId: invoice.id, amount: 100, reason: 'OTHER', memo };
  return (await create('/credit-notes', note)).id;
}

async function offer(create: (path: string, body: object) => Promise<any>) {
  const product = await create('/products', {
    name: hostile('product-name', 200),
    description: hostile('product-description', 2_000),
    type: 'FLAT',
    currency: 'usd',
    amount: 2_900,
    billingInterval: 'MONTHLY',
    metadata: { mark: hostile('product-metadata', 500) },
  });
  const discount = await create('/discounts', {
    name: hostile('discount-name', 200),
    type: 'PERCENTAGE',
    value: 10,
    duration: 'FOREVER',
    metadata: { mark: hostile('discount-metadata', 500) },
  });
  return { product, discount };
}

/** A dry run that moves a subscription of the customer; products with meters cannot move. */
async function priceMigration(
  create: (path: string, body: object) => Promise<any>,
  customerId: string,
): Promise<string> {
  const price = { type: 'FLAT', currency: 'USD', billingInterval: 'MONTHLY' };
  const aProduct = (amount: number) =>
    create('/products', { name: hostile('product-name', 200), amount, ...price });
  const [from, to] = [await aProduct(1000), await aProduct(2000)];
  await create('/subscriptions', { customerId, productId: from.id });
  const { id } = await create('/price-migrations', {
    ...{ fromPriceId: from.priceId, toPriceId: to.priceId, dryRun: true },
    metadata: { mark: hostile('price-migration-metadata', 500) },
  });
  return String(id);
}

async function openPages(
  create: (path: string, body: object) => Promise<any>,
  { customerId, productId }: { customerId: string; productId: unknown },
): Promise<string[]> {
  const link = await create('/checkout-links', {
    label: hostile('link-label', 200),
    productIds: [productId],
    successUrl: hostileAddress,
    returnUrl: hostileAddress,
  });
  const session = await create('/checkout', {
    customerId,
    productId,
    successUrl: hostileAddress,
    cancelUrl: hostileAddress,
    metadata: { mark: hostile('session-metadata', 500) },
  });
  return [link.url as string, session.checkoutUrl as string];
}

/** Waits until the endpoint has answered once. */
async function attempted(api: ApiClient, endpointId: string): Promise<void> {
  await eventually(async () => {
    const path = `/webhook-endpoints/${endpointId}/deliveries`;
    const { data } = await api.expect(200, api.get(path));
    if (!data.some(({ attempts }: any) => attempts.length > 0)) throw new Error('Not yet');
  });
}

/** Addresses that would run or show a script if a browser navigated there. */
export const hostileSchemes = [
  'javascript:__x=1',
  'JaVaScRiPt:__x=1//',
  '\u0001javascript:__x=1',
  ' javascript:__x=1',
  'data:text/html,<script>__x=1</script>',
  'vbscript:__x=1',
  'blob:https://shop.example/x',
  '//evil.example/',
];
