import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { seller, setSeller } from '../contract/taxed-shop';
import { discounts, meterPrices, meters, products } from '../demo/catalogue';
import { ApiClient } from '../support/api-client';
import type { OperatorClient } from '../support/operator-client';
import { card, Payer } from '../support/payer';
import { authorization, numbers, PortalScene } from '../support/portal-scene';
import type { TestSystem } from '../support/shared-system';

/** Where the shop is opened, and by whom. */
export interface Site {
  readonly system: TestSystem;
  readonly owner: OperatorClient;
  /** Endpoint that accepts webhooks. */
  readonly endpointUrl: string;
}

/** A sandbox with fixed names, amounts and times, whose pages look the same in each run. */
export interface Shop {
  readonly environmentId: string;
  readonly scene: PortalScene;
  /** Paths in the dashboard of resources that have a page, by a name for the page. */
  readonly paths: Readonly<Record<string, string>>;
  /** URLs of payers' pages, by a name for the page. */
  readonly urls: Readonly<Record<string, string>>;
  /** Paths of pages of operators before they sign in, by a name for the page. */
  readonly openPaths: Readonly<Record<string, string>>;
  /** Paths in the portal of resources that have a page, by a name for the page. */
  readonly portalPaths: Readonly<Record<string, string>>;
  /** Path in the portal of the page on which the customer chooses a plan. */
  readonly planPath: string;
  /** The customer whose portal is shown. */
  readonly customerId: string;
}

const beginsAt = '2033-01-05T08:00:00.000Z';
const endsAt = '2033-02-10T15:00:00.000Z';
const logo = join(__dirname, '../../services/checkout/vectors/logos/rgb.png');

/** Opens the shop, and lets five weeks pass in it. */
export async function openShop(site: Site): Promise<Shop> {
  const { live } = site.system;
  const clock = { name: 'Shop', clock: 'MANUAL', startsAt: beginsAt };
  const { id: environmentId, key } = await live.expect(201, live.post('/sandboxes', clock));
  const scene = new PortalScene(new ApiClient(live.gatewayUrl, key as string), false);
  const stock = await stockUp(scene, site);
  const sold = await sell(scene, stock);
  const sessions = await openSessions(scene, stock, sold);
  await scene.api.advanceTo('2033-02-06T12:00:00.000Z');
  const operator = site.owner.in(environmentId as string);
  const announced = announcedBy(operator);
  const billed: Billed = { scene, announced };
  const credited = await credit(billed);
  const openPaths = await manage(operator, { ...stock, ...sold, announced });
  const requestId = await refused(operator);
  await scene.api.advanceTo('2033-02-09T10:00:00.000Z');
  await invoice(billed, { name: 'Hedy Lamarr', email: 'hedy@example.com' }, 4_900);
  await scene.api.advanceTo(endsAt);
  await invoice(billed, { name: 'Joan Clarke', email: 'joan@example.com' }, 12_900);
  const { paths, urls } = await pagesOf(billed, { stock, sold, sessions, credited });
  const portalPaths = await portalPathsOf(scene, sold.ada);
  return {
    environmentId: environmentId as string,
    scene,
    customerId: sold.ada.customerId,
    paths: { ...paths, request: `/developers/requests/${requestId}` },
    urls,
    openPaths,
    portalPaths,
    planPath: `/portal/subscriptions/${sold.ada.subscriptionId}/plan`,
  };
}

type Stock = Awaited<ReturnType<typeof stockUp>>;
type Sold = Awaited<ReturnType<typeof sell>>;

/**
 * Waits until the newest event is about an object. The events of several services are in the order
 * in which they arrive, which differs from run to run at one instant.
 */
type Announced = (objectId: string) => Promise<void>;

interface Billed {
  readonly scene: PortalScene;
  readonly announced: Announced;
}

/** Asks the dashboard, whose calls are not in the request log. */
function announcedBy(operator: OperatorClient): Announced {
  return (objectId) =>
    eventually(async () => {
      const { body } = await operator.api('GET', '/events');
      expect(body.data[0].subject.id).toBe(objectId);
    });
}

/** Creates all that is sold. */
async function stockUp(scene: PortalScene, { endpointUrl }: Site) {
  const { api } = scene;
  const image = `data:image/png;base64,${readFileSync(logo).toString('base64')}`;
  const shown = { logo: image, supportEmail: 'help@example.com', invoicePrefix: 'ADA-' };
  await setSeller(api, { ...seller, ...shown });
  const brand = { displayName: 'Ada Analytics', accentColor: '#2447C9' };
  await api.expect(200, api.request('PATCH', '/branding', { body: brand }));
  const endpoint = { url: endpointUrl, events: ['*'], description: 'Shop backend' };
  const endpointId = (await scene.create('/webhook-endpoints', endpoint)).id as string;
  const productIds = new Map<string, string>();
  for (const product of products) {
    productIds.set(product.lookupKey, (await scene.create('/products', product)).id as string);
  }
  const ids = (...keys: string[]) => keys.map((key) => productIds.get(key) ?? '');
  const meterIds = new Map<string, string>();
  for (const meter of meters) {
    meterIds.set(meter.name, (await scene.create('/meters', meter)).id as string);
  }
  const prices = meterPrices.map(({ meter, ...rate }) => ({
    meterId: meterIds.get(meter),
    ...rate,
  }));
  const path = `/products/${ids('api').join('')}/meter-prices`;
  await api.expect(200, api.request('PATCH', path, { body: { prices } }));
  const discountIds = new Map<string, string>();
  for (const { for: offers, ...discount } of discounts) {
    const body = { ...discount, productIds: offers && ids(...offers) };
    discountIds.set(discount.code, (await scene.create('/discounts', body)).id as string);
  }
  const link = await scene.create('/checkout-links', {
    label: 'Plans',
    productIds: ids('starter', 'team', 'api'),
    quantity: { min: 1, max: 50 },
    collect: ['NAME', 'ADDRESS'],
    returnUrl: 'https://shop.example/',
  });
  const old = { label: 'Plans of last year', productIds: ids('starter'), active: false };
  const closed = await scene.create('/checkout-links', old);
  const settings = { products: ids('starter', 'team', 'api'), quantity: true };
  await api.expect(200, api.request('PATCH', '/portal/settings', { body: settings }));
  const links = { linkUrl: link.url as string, closedLinkUrl: closed.url as string };
  return { productIds, meterIds, discountIds, endpointId, ...links };
}

const berlin = { line1: 'Torstr. 12', city: 'Berlin', postalCode: '10119', country: 'DE' };
const boston = {
  ...{ line1: '1 Beacon St', city: 'Boston', state: 'MA' },
  ...{ postalCode: '02108', country: 'US' },
};

/** Sells a subscription an hour: lists are in the order of their times. */
async function sell(scene: PortalScene, { productIds, meterIds, discountIds }: Stock) {
  let hour = 8;
  const sale = async (product: string, customer: object, terms: object) => {
    hour += 1;
    await scene.api.advanceTo(`2033-01-05T${String(hour).padStart(2, '0')}:00:00.000Z`);
    const customerId = await scene.customer(customer);
    const body = { customerId, productId: productIds.get(product), ...terms };
    const { id } = await scene.create('/subscriptions', body);
    return { customerId, subscriptionId: id as string };
  };
  const paid = (number: string = numbers.good) => ({
    authorizedTransactionId: authorization(number),
  });
  const katherine = { name: 'Katherine Johnson', email: 'katherine@example.com', address: boston };
  await sale('business', katherine, paid(numbers.other));
  const initech = { name: 'Initech', email: 'ap@initech.example', address: berlin };
  const sent = { collectionMethod: 'SEND_INVOICE', discountId: discountIds.get('YEAR25') };
  await sale('business', { ...initech, currency: 'USD', buyerReference: 'PO-1234' }, sent);
  const grace = { name: 'Grace Hopper', email: 'grace@example.com', address: boston };
  const metered = await sale('api', grace, paid());
  const bob = { name: 'Bob Kahn', email: 'bob@example.com', address: berlin };
  const pastDue = await sale('team-eu', bob, { ...paid(numbers.failsWhenSaved), quantity: 3 });
  const ada = await sale(
    'team',
    { name: 'Ada Lovelace', email: 'ada@example.com', externalId: 'user-7', address: berlin },
    { ...paid(), quantity: 12, discountId: discountIds.get('WELCOME20') },
  );
  const long = 'accounts.payable.department@a-company-with-a-long-name.example';
  await sale('starter', { name: null, email: long }, {});
  await use(scene, metered.customerId, meterIds);
  return { ada, metered, pastDue };
}

/** Usage of two weeks, and prepaid credits. */
async function use(
  scene: PortalScene,
  customerId: string,
  meterIds: ReadonlyMap<string, string>,
): Promise<void> {
  const meterId = meterIds.get('API calls');
  await scene.create(`/customers/${customerId}/meter-credits`, { meterId, amount: 5_000 });
  await scene.api.advanceTo('2033-01-20T12:00:00.000Z');
  const days = Array.from({ length: 14 }, (_, index) => index + 6);
  const events = days.flatMap((day) => {
    const timestamp = `2033-01-${String(day).padStart(2, '0')}T10:00:00.000Z`;
    const of = { customerId, timestamp };
    return [
      { ...of, meterId, quantity: 600 + 130 * (day % 5) },
      { ...of, meterId: meterIds.get('Storage'), quantity: 4 + day },
    ];
  });
  await scene.create('/events/ingest', { events });
}

/** Checkout sessions: expired, completed with a card that expires soon, and two open ones. */
async function openSessions(scene: PortalScene, { productIds }: Stock, { ada }: Sold) {
  const session = async (customerId: string, product: string, more: object = {}) => {
    const body = { customerId, productId: productIds.get(product), ...more };
    return (await scene.create('/checkout', body)).checkoutUrl as string;
  };
  const expired = await session(ada.customerId, 'onboarding');
  await scene.api.advanceTo('2033-02-01T09:00:00.000Z');
  const margaret = { name: 'Margaret Hamilton', email: 'margaret@example.com', address: berlin };
  const complete = await session(await scene.customer(margaret), 'team', { quantity: 5 });
  const payer = new Payer(scene.api.gatewayUrl);
  await payer.submit(await payer.open(complete), { ...card(), 'cc-exp': '03/33' });
  return { expired, complete };
}

/**
 * One-off invoices: refunded, refunded in vain, and disputed. An hour passes between the steps of
 * each, so that lists of emails have one order.
 */
async function credit(billed: Billed) {
  const { scene } = billed;
  const { api } = scene;
  let hour = 12;
  const anHourPasses = async () => {
    hour += 1;
    await api.advanceTo(`2033-02-06T${String(hour)}:00:00.000Z`);
  };
  const paid = async (customer: object, number: string) => {
    const invoiceId = await invoice(billed, customer, 9_900);
    await anHourPasses();
    const body = { authorizedTransactionId: authorization(number) };
    await api.expect(200, api.post(`/invoices/${invoiceId}/pay`, body));
    await anHourPasses();
    return invoiceId;
  };
  const note = { amount: 2_500, settle: 'REFUND', reason: 'GOODWILL', memo: 'Sorry for the delay' };
  const alan = await paid({ name: 'Alan Turing', email: 'alan@example.com' }, numbers.good);
  const { id } = await scene.create('/credit-notes', { ...note, invoiceId: alan });
  await anHourPasses();
  const mary = await paid({ name: 'Mary Jackson', email: 'mary@example.com' }, '4000000000005134');
  await scene.create('/credit-notes', { ...note, invoiceId: mary });
  await anHourPasses();
  await paid({ name: 'Dorothy Vaughan', email: 'dorothy@example.com' }, '4000000000000259');
  return { noteId: id as string };
}

/** A one-off invoice of two lines that its customer pays by bank transfer. */
async function invoice(
  { scene, announced }: Billed,
  customer: object,
  amount: number,
): Promise<string> {
  const lines = [
    { description: 'Workshop', amount },
    { description: 'Travel', amount: 1_250 },
  ];
  const customerId = await scene.customer({ ...customer, address: berlin });
  await announced(customerId);
  const terms = { currency: 'EUR', collectionMethod: 'SEND_INVOICE', finalize: true };
  return (await scene.create('/invoices', { customerId, lines, ...terms })).id as string;
}

/** Changes by an operator, for the audit log and the team; returns paths of links for others. */
async function manage(
  operator: OperatorClient,
  { productIds, ada, announced }: Stock & Sold & Pick<Billed, 'announced'>,
): Promise<Record<string, string>> {
  const productId = productIds.get('onboarding') ?? '';
  const winter = { name: 'Winter', type: 'PERCENTAGE', value: 5, duration: 'ONCE' };
  const changes = [
    ['PATCH', `/products/${productId}`, { amount: 42_000 }],
    ['PATCH', `/customers/${ada.customerId}`, { phone: '+49 30 1234567' }],
    ['POST', '/discounts', winter],
  ] as const;
  for (const [method, path, change] of changes) {
    const { status, body } = await operator.v1(method, path, change);
    expect([method, path, status < 300]).toEqual([method, path, true]);
    await announced(body.id as string);
  }
  const invited = { email: 'viewer@example.com', role: 'VIEWER' };
  const { status, body } = await operator.api('POST', '/operators', invited);
  expect(status).toBe(201);
  return { invitation: pathOf(body.link as string) };
}

/** Path and fragment of a URL. */
function pathOf(url: string): string {
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`;
}

/** A read that the API refuses; returns its entry in the request log. */
async function refused(operator: OperatorClient): Promise<string> {
  expect((await operator.v1('GET', '/customers?perPage=0')).status).toBe(400);
  return eventually(async () => {
    const { body } = await operator.api('GET', '/requests?method=GET&status=4xx');
    expect(body.data).toHaveLength(1);
    return body.data[0].entryId as string;
  });
}

/** Pages of single resources, and pages of payers. */
async function pagesOf(
  { scene, announced }: Billed,
  {
    stock: { productIds, discountIds, endpointId, linkUrl, closedLinkUrl },
    sold: { ada, metered, pastDue },
    sessions,
    credited: { noteId },
  }: {
    stock: Stock;
    sold: Sold;
    sessions: Awaited<ReturnType<typeof openSessions>>;
    credited: Awaited<ReturnType<typeof credit>>;
  },
) {
  const one = async (list: string) => (await scene.read(list)).data[0];
  const open = await one(`/invoices?subscriptionId=${pastDue.subscriptionId}&status=OPEN`);
  const paid = await one(`/invoices?subscriptionId=${metered.subscriptionId}&status=PAID`);
  const draft = {
    customerId: ada.customerId,
    lines: [{ description: 'Training', amount: 30_000 }],
  };
  const { id: draftId } = await scene.create('/invoices', { ...draft, currency: 'USD' });
  const edsger = { name: 'Edsger Dijkstra', email: 'edsger@example.com', address: berlin };
  const customerId = await scene.customer(edsger);
  await announced(customerId);
  const session = await scene.create('/checkout', {
    customerId,
    productId: productIds.get('api'),
  });
  // Mails follow their events.
  const mail = await eventually(async () => {
    const found = await one(`/emails?customerId=${ada.customerId}`);
    expect(found).toBeDefined();
    return found;
  });
  const migration = `/price-migrations/${await dryRun(scene, productIds)}`;
  const paths = {
    customer: `/customers/${ada.customerId}`,
    'customer with usage': `/customers/${metered.customerId}`,
    subscription: `/subscriptions/${ada.subscriptionId}`,
    'subscription past due': `/subscriptions/${pastDue.subscriptionId}`,
    'invoice open': `/invoices/${String(open.id)}`,
    'invoice paid': `/invoices/${String(paid.id)}`,
    'invoice draft': `/invoices/${String(draftId)}`,
    'credit note': `/credit-notes/${noteId}`,
    email: `/emails/${String(mail.id)}`,
    'product with tiers': `/products/${productIds.get('team') ?? ''}`,
    'product with usage': `/products/${productIds.get('api') ?? ''}`,
    'price migrations': '/price-migrations',
    'price migration': migration,
    'price migration running': migration,
    'price migration done': migration,
    discount: `/discounts/${discountIds.get('WELCOME20') ?? ''}`,
    endpoint: `/developers/webhooks/${endpointId}`,
    'email text': '/settings/email/RECEIPT/en',
  };
  const noted = await scene.read(`/credit-notes/${noteId}`);
  const { hostedUrl } = await scene.read(`/invoices/${String(noted.invoiceId)}`);
  const urls = {
    link: linkUrl,
    'link closed': closedLinkUrl,
    session: session.checkoutUrl as string,
    'session expired': sessions.expired,
    'session complete': sessions.complete,
    'invoice open': open.hostedUrl as string,
    'invoice paid': paid.hostedUrl as string,
    'credit note': `${String(hostedUrl)}/credit-notes/${noteId}`,
  };
  return { paths, urls };
}

/** A dry run of a price migration of two subscriptions that has ended. */
async function dryRun(scene: PortalScene, productIds: Stock['productIds']): Promise<string> {
  const priceOf = async (key: string) =>
    (await scene.read(`/products/${productIds.get(key) ?? ''}`)).priceId as string;
  const [fromPriceId, toPriceId] = [await priceOf('team'), await priceOf('starter')];
  const run = { fromPriceId, toPriceId, at: 'PERIOD_END', dryRun: true };
  const { id } = await scene.create('/price-migrations', run);
  await eventually(async () => {
    expect(await scene.read(`/price-migrations/${String(id)}`)).toMatchObject({
      status: 'COMPLETE',
    });
  });
  return String(id);
}

/** The newest paid invoice of the customer whose portal is shown. */
async function portalPathsOf(scene: PortalScene, { subscriptionId }: Sold['ada']) {
  const { data } = await scene.read(`/invoices?subscriptionId=${subscriptionId}&status=PAID`);
  return { invoice: `/portal/invoices/${String(data[0].id)}` };
}
