import { newId } from '@billing/chassis/ids';
import type { ApiClient } from '../support/api-client';
import { OperatorClient, password } from '../support/operator-client';
import { card, Payer } from '../support/payer';
import type { TestSystem } from '../support/shared-system';
import type { WebhookReceiver } from '../support/webhook-receiver';

/** An environment with one of everything, and what is needed to go on with it. */
export interface Life {
  readonly key: string;
  /** Session ids, which no list shows. */
  readonly sessionIds: readonly string[];
  /** Customer with usage and credits, and the meter. */
  readonly customerId: string;
  readonly meterId: string;
  readonly productId: string;
}

export const startedAt = '2026-01-31T00:00:00Z';
const owner = 'owner@example.com';

/** An authorization, each of another payment, by a good card or another one. */
export function authorization(card = '4242424242424242'): string {
  return `txn_${card}_${newId()}`;
}
const declined = '4000000000000002';

const monthly = { name: 'Pro', type: 'FLAT', currency: 'EUR', amount: 2900 };
const tiers = [
  { upTo: '10', unitAmount: '100' },
  { upTo: null, unitAmount: '80' },
];

/**
 * Fills a sandbox from the end of January to the end of March 2026, with requests that the former
 * release knows: a new field or route is used here one release later.
 */
export async function beginLife(system: TestSystem, receiver: WebhookReceiver): Promise<Life> {
  const api = await system.live.manualSandbox(startedAt);
  await OperatorClient.owner(system);
  const life = new Beginning(api);
  await life.configure(receiver);
  const { productId, discountId } = await life.sell();
  const { customerId, meterId } = await life.meter(productId);
  await life.subscribe({ productId, discountId });
  const sessionIds = await life.check({ customerId, productId }, system);
  await life.bill(customerId);
  await api.advanceTo('2026-02-28T00:00:00Z');
  await life.use(customerId, meterId, '2026-02-14');
  await api.advanceTo('2026-03-31T00:00:00Z');
  await life.use(customerId, meterId, '2026-03-30');
  return { key: api.key ?? '', sessionIds, customerId, meterId, productId };
}

class Beginning {
  constructor(private readonly api: ApiClient) {}

  private create(path: string, body: object): Promise<any> {
    return this.api.expect(201, this.api.post(path, body));
  }

  private change(path: string, body: object): Promise<any> {
    return this.api.expect(200, this.api.request('PATCH', path, { body }));
  }

  private customer(name: string): Promise<{ id: string }> {
    const metadata = { team: name };
    return this.create('/customers', { email: `${name}@example.com`, name, metadata });
  }

  /** A webhook endpoint, a key, the seller, a tax rate and a text of an email. */
  async configure(receiver: WebhookReceiver): Promise<void> {
    await this.create('/webhook-endpoints', { url: receiver.url, events: ['*'] });
    await this.create('/api-keys', { name: 'Reports', scopes: ['invoices:read'] });
    await this.create('/tax-rates', { country: 'US', percent: '5', name: 'Sales tax' });
    await this.change('/seller', {
      legalName: 'Ada GmbH',
      address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
      footer: 'Thank you',
    });
    await this.change('/email-templates/RECEIPT/en', { subject: 'Paid' });
  }

  /** A product of each type, a discount and a link. */
  async sell(): Promise<{ productId: string; discountId: string }> {
    const interval = { billingInterval: 'MONTHLY' };
    const { id: productId } = await this.create('/products', { ...monthly, ...interval });
    for (const type of ['PER_UNIT', 'TIERED', 'VOLUME']) {
      const priced = type === 'PER_UNIT' ? {} : { tiers };
      await this.create('/products', { ...monthly, ...interval, ...priced, type, name: type });
    }
    const { id: discountId } = await this.create('/discounts', {
      ...{ name: 'Spring', type: 'PERCENTAGE', value: 10, code: 'SPRING' },
      ...{ duration: 'FOREVER', maxRedemptions: 5 },
    });
    await this.create('/checkout-links', { label: 'Shop', productIds: [productId] });
    return { productId: String(productId), discountId: String(discountId) };
  }

  /** A metered subscription with usage and credits. */
  async meter(productId: string): Promise<{ customerId: string; meterId: string }> {
    const { id: customerId } = await this.customer('metered');
    const { id } = await this.create('/meters', { name: 'API calls', aggregation: 'SUM' });
    const meterId = String(id);
    const prices = [{ meterId, type: 'PER_UNIT', unitAmount: '2' }];
    await this.change(`/products/${productId}/meter-prices`, { prices });
    const authorizedTransactionId = authorization();
    await this.create('/subscriptions', { customerId, productId, authorizedTransactionId });
    await this.create(`/customers/${customerId}/meter-credits`, { meterId, amount: 100 });
    await this.use(customerId, meterId, '2026-01-31');
    return { customerId, meterId };
  }

  async use(customerId: string, meterId: string, day: string): Promise<void> {
    const event = { customerId, meterId, quantity: 80, timestamp: `${day}T00:00:00Z` };
    const events = [1, 2, 3].map((each) => ({ ...event, eventId: `${day}-${String(each)}` }));
    const { accepted } = await this.create('/events/ingest', { events });
    if (accepted !== events.length) throw new Error(`Accepted ${String(accepted)} events`);
  }

  /** Subscriptions in each phase. */
  async subscribe({ productId, discountId }: { productId: string; discountId: string }) {
    const subscribe = async (name: string, more: object = {}): Promise<string> => {
      const { id: customerId } = await this.customer(name);
      const body = { customerId, productId, authorizedTransactionId: authorization(), ...more };
      const { id } = await this.create('/subscriptions', body);
      // A creation that takes eight seconds is answered before its first charge.
      const { now } = await this.api.expect(200, this.api.get('/sandboxes/clock'));
      await this.api.advanceTo(now);
      return String(id);
    };
    const trial = { ...monthly, billingInterval: 'MONTHLY', trialDays: 90 };
    const { id: trialId } = await this.create('/products', { ...trial, name: 'Trial' });
    await subscribe('regular', { discountId, quantity: 2 });
    await subscribe('trial', { productId: trialId });
    await subscribe('scheduled', { startAt: '2026-07-01T00:00:00Z' });
    await subscribe('late', { authorizedTransactionId: authorization(declined) });
    const ended = await subscribe('ended');
    await this.api.expect(200, this.api.post(`/subscriptions/${ended}/cancel`, {}));
    const ending = await subscribe('ending');
    const atPeriodEnd = { atPeriodEnd: true };
    await this.api.expect(200, this.api.post(`/subscriptions/${ending}/cancel`, atPeriodEnd));
    const changing = await subscribe('changing');
    await this.create(`/subscriptions/${changing}/changes`, { quantity: 3, at: 'NOW' });
  }

  /** A session that is paid and one that stays open. */
  async check(
    { customerId, productId }: { customerId: string; productId: string },
    { gatewayUrl }: TestSystem,
  ): Promise<string[]> {
    const { id: buyer } = await this.customer('buyer');
    const paid = await this.create('/checkout', { customerId: buyer, productId });
    const payer = new Payer(gatewayUrl);
    await payer.submit(await payer.open(String(paid.checkoutUrl)), card());
    const open = await this.create('/checkout', { customerId, productId });
    return [String(paid.sessionId), String(open.sessionId)];
  }

  /** Invoices that are paid in part, written off, voided and credited; a balance. */
  async bill(customerId: string): Promise<void> {
    const lines = [{ description: 'Setup', amount: 5000 }];
    const invoice = { customerId, collectionMethod: 'SEND_INVOICE', lines };
    const issue = () => this.create('/invoices', { ...invoice, finalize: true });
    await this.create('/invoices', invoice);
    const { id: part } = await issue();
    const payment = { amount: 2000, method: 'BANK_TRANSFER' };
    await this.create(`/invoices/${String(part)}/payments`, payment);
    for (const end of ['mark-uncollectible', 'void']) {
      const { id } = await issue();
      await this.api.expect(200, this.api.post(`/invoices/${String(id)}/${end}`));
    }
    const { data } = await this.api.expect(200, this.api.get('/invoices?status=PAID'));
    const credit = { invoiceId: data[0].id, amount: 100, reason: 'OTHER', settle: 'REFUND' };
    await this.create('/credit-notes', credit);
    await this.create('/balance-entries', { customerId, amount: 500, description: 'Goodwill' });
  }
}

/** A month later: renewals are charged, usage is billed, and every kind of write is answered. */
export async function continueLife(
  system: TestSystem,
  { key, customerId, meterId, productId }: Life,
  to: string,
): Promise<void> {
  const api = system.client(key);
  const paid = async () => (await api.all('/invoices?status=PAID')).length;
  const before = await paid();
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const { id } = await create('/customers', { email: 'new@example.com', name: to });
  const body = { customerId: id, productId, authorizedTransactionId: authorization() };
  await create('/subscriptions', body);
  const { now } = await api.expect(200, api.get('/sandboxes/clock'));
  const event = { customerId, meterId, quantity: 7, timestamp: now, eventId: `until-${to}` };
  await create('/events/ingest', { events: [event] });
  await api.expect(200, api.request('PATCH', `/customers/${customerId}`, { body: { name: to } }));
  await api.advanceTo(to);
  const renewed = (await paid()) - before;
  // The new subscription, its renewal, and those of the five that were there.
  if (renewed < 4) throw new Error(`${String(renewed)} invoices were paid until ${to}`);
}

/** Signs in the operator of the beginning. */
export async function signIn({ gatewayUrl }: TestSystem): Promise<void> {
  const client = new OperatorClient(gatewayUrl);
  const { status, body } = await client.api('POST', '/session', { email: owner, password });
  if (status !== 200 && status !== 201) throw new Error(`Sign-in: ${JSON.stringify(body)}`);
}
