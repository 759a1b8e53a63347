import { eventually } from '@billing/chassis/testing';
import { Calendar } from './calendar';
import { DemoClient } from './demo-client';
import { fillSandbox } from './filling';
import { openSandbox, type PlanKey, planOf, toMetadata } from './sandbox';
import { expectInvariants } from '../invariants/expectation';
import type { ApiClient } from '../support/api-client';
import { isNightly } from '../support/rounds';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  startWebhookReceiver,
  type WebhookReceiver,
  withoutRepeats,
} from '../support/webhook-receiver';

const fillTimeoutMs = (isNightly ? 90 : 15) * 60_000;
const arriveTimeoutMs = (isNightly ? 20 : 3) * 60_000;
const seed = process.env.FEED_SEED ?? String(Date.now() % 1_000_000);
const months = isNightly ? 13 : 3;
const { startsAt, lastDay } = Calendar.of({ until: new Date('2026-11-21T20:00:00Z'), months });
const planKey: PlanKey = {
  ...{ seed, customers: isNightly ? 200 : 10 },
  ...{ startsAt, lastDay, name: 'Life' },
};

/** Objects of the events of each type of subject, by their name in `data`, and their lists. */
const resources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  customer: { customer: '/customers' },
  product: { product: '/products' },
  discount: { discount: '/discounts' },
  meter: { meter: '/meters' },
  checkout_link: { checkoutLink: '/checkout-links' },
  subscription: { subscription: '/subscriptions' },
  invoice: { invoice: '/invoices', creditNote: '/credit-notes', refund: '/refunds' },
};

/** Fields that change without an event, and the times of these changes. */
const unannounced: Readonly<Record<string, readonly string[]>> = {
  discount: ['redemptionCount'],
  subscription: ['latestInvoiceId', 'customer', 'updatedAt'],
  invoice: ['lastPaymentError'],
};
/** Fields that the deletion of a customer blanks without an event, and its time. */
const blanked: Readonly<Record<string, readonly string[]>> = {
  subscription: ['metadata'],
  invoice: ['buyer', 'updatedAt'],
};

type Shown = Readonly<Record<string, any>>;
type Objects = Map<string, Map<string, Shown>>;

/** The objects that the events of a feed come to: of each the one of its last event. */
function rebuilt(feed: readonly any[]): Objects {
  const names = Object.values(resources).flatMap((ofSubject) => Object.keys(ofSubject));
  const objects: Objects = new Map(names.map((name) => [name, new Map()]));
  for (const { subject, event } of feed) {
    const { type, data } = event;
    if (type === 'meter_prices.replaced') {
      const products = objects.get('product');
      const { productId, prices: meterPrices } = data;
      products?.set(productId, { ...products.get(productId), meterPrices });
    }
    for (const name of Object.keys(resources[subject.type] ?? {})) {
      const known = objects.get(name);
      const object = data[name];
      if (type.endsWith('.deleted')) known?.delete(subject.id);
      // An event about another field has the prices of meters from before their own events.
      else if (name === 'product' && object) {
        const { meterPrices = object.meterPrices } = known?.get(object.id) ?? {};
        known?.set(object.id, { ...object, meterPrices });
      } else if (object) known?.set(object.id, object);
    }
  }
  return objects;
}

/** An object without what no event tells. */
function told(name: string, object: Shown, customerIds: ReadonlySet<string>): Shown {
  const isDeleted = typeof object.customerId === 'string' && !customerIds.has(object.customerId);
  const left = new Set([...(unannounced[name] ?? []), ...(isDeleted ? (blanked[name] ?? []) : [])]);
  const fields = Object.entries(object).filter(([field]) => !left.has(field));
  if (name !== 'invoice') return Object.fromEntries(fields);
  const payments = object.payments.filter(({ status }: Shown) =>
    ['SUCCEEDED', 'FAILED'].includes(status),
  );
  return { ...Object.fromEntries(fields), payments };
}

describe('the feed of a random life of a shop', () => {
  let system: TestSystem;
  let api: ApiClient;
  let receiver: WebhookReceiver;
  let feed: any[];

  beforeAll(async () => {
    system = await joinTestSystem();
    const live = new DemoClient(system.gatewayUrl, system.live.key ?? '');
    const sandbox = await openSandbox(live, planKey);
    api = system.client(sandbox.key);
    receiver = await startWebhookReceiver();
    await api.expect(201, api.post('/webhook-endpoints', { url: receiver.url, events: ['*'] }));
    const client = new DemoClient(system.gatewayUrl, sandbox.key);
    const metadata = toMetadata(planKey);
    await fillSandbox({ client, plan: planOf(planKey), metadata, onProgress: () => undefined });
    await changeEverything();
    await api.untilIdle();
    feed = await readFeed();
  }, fillTimeoutMs);

  afterAll(async () => {
    process.stderr.write(`seed ${seed}: ${String(feed.length)} events\n`);
    await receiver.close();
  });

  const make = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));
  const patch = async (path: string, body: object): Promise<void> => {
    await api.expect(200, api.request('PATCH', path, { body }));
  };
  const listOf = async (path: string): Promise<any[]> =>
    path === '/meters' ? api.expect(200, api.get(path)) : api.all(path);

  /** A change of each kind of resource, and ends of some. */
  async function changeEverything(): Promise<void> {
    const customers = await api.all('/customers');
    for (const [index, { id }] of customers.entries()) {
      const path = `/customers/${String(id)}`;
      await patch(path, { name: `Renamed ${String(index)}`, locale: 'de', metadata: { index } });
      if (index % 3 === 0) await cancelAll(id as string);
      // Refused while something is owed.
      if (index % 3 === 0) expect([204, 409]).toContain((await api.delete(path)).status);
    }
    for (const { id } of await api.all('/products')) {
      await patch(`/products/${String(id)}`, { description: 'Changed' });
    }
    for (const { id } of await api.all('/discounts')) {
      await patch(`/discounts/${String(id)}`, { name: 'Changed' });
    }
    await changeLinks();
    const { id: meterId } = await make('/meters', { name: 'Spare' });
    await patch(`/meters/${String(meterId)}`, { unit: 'piece' });
    const { id: unusedId } = await make('/meters', { name: 'Unused' });
    await api.expect(204, api.delete(`/meters/${String(unusedId)}`));
    await billAndCredit();
  }

  async function cancelAll(customerId: string): Promise<void> {
    for (const { id, status } of await api.all(`/subscriptions?customerId=${customerId}`)) {
      if (status === 'CANCELED') continue;
      await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`));
    }
  }

  async function changeLinks(): Promise<void> {
    const { id: productId } = await make('/products', {
      ...{ name: 'Extra', type: 'FLAT', currency: 'EUR', amount: 900 },
      billingInterval: 'MONTHLY',
    });
    const { id } = await make('/checkout-links', { label: 'Plans', productIds: [productId] });
    await patch(`/checkout-links/${String(id)}`, { label: 'All plans' });
  }

  /** Invoices that are paid, refunded, voided and written off. */
  async function billAndCredit(): Promise<void> {
    const terms = { currency: 'EUR', collectionMethod: 'SEND_INVOICE' };
    const { id: customerId } = await make('/customers', { email: 'billed@example.com', ...terms });
    const lines = [{ description: 'Setup', amount: 5_000 }];
    const issue = () => make('/invoices', { customerId, lines, finalize: true });
    for (const end of ['void', 'mark-uncollectible']) {
      const { id } = await issue();
      await api.expect(200, api.post(`/invoices/${String(id)}/${end}`));
    }
    const { id: invoiceId } = await issue();
    await make(`/invoices/${String(invoiceId)}/payments`, { amount: 5_000, method: 'CASH' });
    await issue();
    const paid = await api.all('/invoices?status=PAID');
    const charged = paid.find(({ payments }) =>
      payments.some(
        ({ provider, status }: Shown) => provider === 'sandbox' && status === 'SUCCEEDED',
      ),
    );
    const credit = { amount: 100, reason: 'OTHER', settle: 'REFUND' };
    await make('/credit-notes', { invoiceId: charged.id, ...credit });
  }

  async function readFeed(): Promise<any[]> {
    const entries: any[] = [];
    for (let after = '0'; ;) {
      const path = `/webhook-events?limit=1000&after=${after}`;
      const page = await api.expect(200, api.get(path));
      entries.push(...page.data);
      after = page.nextAfter;
      if (page.data.length === 0) return entries;
    }
  }

  test('comes to every object that the lists show', async () => {
    const objects = rebuilt(feed);
    const customerIds = new Set((await api.all('/customers')).map(({ id }) => String(id)));
    const all: { shown: Shown; expected: Shown } = { shown: {}, expected: {} };
    for (const [name, path] of Object.values(resources).flatMap((one) => Object.entries(one))) {
      // No event tells of drafts.
      const listed = (await listOf(path)).filter(({ status }) => status !== 'DRAFT');
      const shown = listed.map((one) => [one.id, told(name, one, customerIds)]);
      const known = [...(objects.get(name)?.values() ?? [])];
      const expected = known.map((one) => [one.id, told(name, one, customerIds)]);
      Object.assign(all.shown, { [name]: Object.fromEntries(shown) });
      Object.assign(all.expected, { [name]: Object.fromEntries(expected) });
      expect([name, shown.length > 0]).toEqual([name, true]);
    }
    expect(all.shown).toEqual(all.expected);
  });

  test(
    'has the messages of an endpoint that asked for all, each with its bytes, in the order of each subject',
    async () => {
      const texts = new Map(feed.map(({ event }) => [event.id, JSON.stringify(event)]));
      await eventually(
        () => {
          expect(withoutRepeats(receiver.received).length).toBeGreaterThanOrEqual(texts.size);
        },
        { timeoutMs: arriveTimeoutMs, everyMs: 500 },
      );
      const arrived = withoutRepeats(receiver.received);
      expect(new Map(arrived.map(({ body, text }) => [body.id, text]))).toEqual(texts);
      const subjects = new Map(feed.map(({ subject, event }) => [event.id, subject.id]));
      const sequences = Map.groupBy(arrived, ({ body }) => String(subjects.get(body.id)));
      for (const [subject, some] of sequences) {
        const numbers = some.map(({ body }) => body.sequence);
        expect([subject, numbers]).toEqual([subject, numbers.map((_number, index) => index + 1)]);
      }
    },
    arriveTimeoutMs + 10_000,
  );

  test('violates no invariant', async () => {
    await expectInvariants(system, api, { receivers: [receiver] });
  });
});
