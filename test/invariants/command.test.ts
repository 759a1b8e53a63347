import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@billing/chassis/testing';
import { connectMongo } from '@billing/chassis/mongo';
import type { ApiClient } from '../support/api-client';
import { takePicture } from './collection';
import { documentsStay } from './documents';
import { mailsSpeakEveryLanguage } from './mail/mail-languages';
import { examineAll, invariants, type Verdict } from './report';
import { card, Payer } from '../support/payer';
import { cards } from '../scenario/scenario';
import { type Seed, seeds } from './violations/seeds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { Visitor } from '../support/visitor';
import {
  startWebhookReceiver,
  type WebhookReceiver,
  withoutRepeats,
} from '../support/webhook-receiver';

const command = join(__dirname, '../dist/invariants/main.js');
const run = promisify(execFile);
const slowly = { everyMs: 1_000 };
/** Invariants that read exports or the contents of mails. */
const ofContents = new Set([documentsStay.id, mailsSpeakEveryLanguage.id]);

describe('the command that checks invariants, as a separate process', () => {
  let system: OwnTestSystem;
  let api: ApiClient;
  let folder: string;
  let acknowledgedId: string;

  beforeAll(async () => {
    system = await startTestSystem({ ownProcess: true });
    folder = await mkdtemp(join(tmpdir(), 'billing-i-'));
  });

  afterAll(async () => {
    await system.stop();
    await rm(folder, { recursive: true });
  });

  const made = async (path: string, body: object): Promise<any> =>
    api.expect(201, api.post(path, body));

  async function check(more: readonly string[] = []): Promise<{ code: number; table: string }> {
    const addresses = Object.entries(system.addresses).map(
      ([name, address]) => `--address=${name}=${address}`,
    );
    const key = ['--url', system.gatewayUrl, '--key', api.key ?? ''];
    const stranger = ['--stranger-key', system.live.key ?? ''];
    try {
      const { stdout } = await run(process.execPath, [
        command,
        ...key,
        ...stranger,
        ...addresses,
        ...more,
      ]);
      return { code: 0, table: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, table: `${stdout}${stderr}` };
    }
  }

  /**
   * Creates sessions in every state, by the API and by visitors of a link, trials, a portal, and
   * subscriptions that did not begin yet.
   */
  async function fill(): Promise<void> {
    const price = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const { id: productId } = await made('/products', { name: 'Pro', ...price });
    const { id: trialId } = await made('/products', { name: 'Trial', ...price, trialDays: 14 });
    const once = { ...price, billingInterval: 'ONE_TIME' };
    const { id: onceId } = await made('/products', { name: 'Once', ...once });
    const terms = { type: 'PERCENTAGE', value: 10, duration: 'ONCE', maxRedemptions: 50 };
    const { id: discountId } = await made('/discounts', { name: 'Tenth', code: 'TENTH', ...terms });
    const { id: customerId } = await made('/customers', { email: 'ada@example.com' });
    const payer = new Payer(system.gatewayUrl);
    for (const [number, id] of [productId, trialId, onceId].entries()) {
      await made('/checkout', { customerId, productId: id, discountId });
      const { checkoutUrl } = await made('/checkout', { customerId, productId: id, discountId });
      await payer.submit(await payer.open(checkoutUrl), card());
      if (id === onceId) continue;
      const authorizedTransactionId = `${cards.good}_${String(number)}`;
      const order = { customerId, productId: id, discountId, authorizedTransactionId };
      const { latestInvoiceId: invoiceId } = await api.subscribe(order);
      if (id !== productId) continue;
      await made('/credit-notes', { invoiceId, amount: 100, reason: 'OTHER', settle: 'REFUND' });
    }
    for (const isCanceled of [false, true]) {
      const startAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
      const { id } = await made('/subscriptions', { customerId, productId, discountId, startAt });
      if (isCanceled) await api.expect(200, api.post(`/subscriptions/${id as string}/cancel`));
    }
    const meter = { name: 'Calls', aggregation: 'SUM' };
    const { id: meterId } = await made('/meters', meter);
    await made('/events/ingest', {
      events: [{ customerId, meterId, quantity: 3, eventId: 'one' }],
    });
    await made(`/customers/${customerId as string}/meter-credits`, { meterId, amount: 10 });
    const { id: creditedId } = await made('/customers', { email: 'dora@example.com' });
    const credit = { customerId: creditedId, currency: 'USD', amount: 500 };
    await made('/balance-entries', { ...credit, description: 'Goodwill' });
    const link = { label: 'Plans', productIds: [productId, trialId], discountId };
    const { url } = await made('/checkout-links', link);
    for (const email of ['eve@example.com', 'bob@example.com']) {
      await payer.submit(await payer.open(url), { email, productId });
    }
    await Visitor.enter(api, { customerId });
    await made('/portal/sessions', { customerId });
    await changeSeats();
    await billUsage(meterId as string);
    await sendTaxedInvoice(creditedId as string);
    await eraseCustomer(productId as string);
  }

  /** A change that an invoice charges at once. */
  async function changeSeats(): Promise<void> {
    const price = { type: 'PER_UNIT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const { id: productId } = await made('/products', { name: 'Seats', ...price });
    const { id: customerId } = await made('/customers', { email: 'carl@example.com' });
    const authorizedTransactionId = `${cards.good}_seats`;
    const { id } = await api.subscribe({ customerId, productId, authorizedTransactionId });
    const path = `/subscriptions/${id as string}/changes`;
    const { id: changeId } = await made(path, { quantity: 2, at: 'NOW' });
    // The answer waits eight seconds for the payment.
    await eventually(async () => {
      const change = await api.expect(200, api.get(`${path}/${changeId as string}`));
      expect(change).toMatchObject({ status: 'APPLIED' });
    }, slowly);
  }

  /** Usage that the last invoice of a subscription bills. */
  async function billUsage(meterId: string): Promise<void> {
    const price = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const { id: productId } = await made('/products', { name: 'Metered', ...price });
    const prices = [{ meterId, type: 'PER_UNIT', unitAmount: '100' }];
    const path = `/products/${productId as string}/meter-prices`;
    await api.expect(200, api.request('PATCH', path, { body: { prices } }));
    const { id: customerId } = await made('/customers', { email: 'finn@example.com' });
    const authorizedTransactionId = `${cards.good}_billed`;
    const { id } = await api.subscribe({ customerId, productId, authorizedTransactionId });
    const event = { customerId, meterId, quantity: 3, eventId: 'billed' };
    await made('/events/ingest', { events: [event] });
    await api.expect(200, api.post(`/subscriptions/${id as string}/cancel`));
  }

  async function eraseCustomer(productId: string): Promise<void> {
    const leaver = { email: 'leaver@example.com', name: 'Leaver', metadata: { note: 'leaver' } };
    const { id: customerId } = await made('/customers', leaver);
    const authorizedTransactionId = `${cards.good}_leaver`;
    const order = { customerId, productId, authorizedTransactionId };
    const { id } = await api.subscribe(order);
    await api.expect(200, api.post(`/subscriptions/${id as string}/cancel`));
    await api.expect(204, api.delete(`/customers/${customerId as string}`));
  }

  async function sendTaxedInvoice(customerId: string): Promise<void> {
    const tax = { prices: 'EXCLUDE_TAX', registrations: ['DE'] };
    const body = { legalName: 'Acme Ltd', address: { country: 'DE' }, tax };
    await api.expect(200, api.request('PATCH', '/seller', { body }));
    const lines = [{ description: 'Setup', amount: 2900 }];
    const terms = { collectionMethod: 'SEND_INVOICE', finalize: true };
    await made('/invoices', { customerId, lines, ...terms });
    await api.expect(200, api.request('PATCH', '/seller', { body: { tax: null } }));
  }

  async function fillSandbox(): Promise<void> {
    const { key } = await system.live.expect(201, system.live.post('/sandboxes', {}));
    api = system.client(key);
    await fill();
  }

  test('reports nothing on a healthy system with open sessions, links, trials and portal sessions', async () => {
    await fillSandbox();
    const table = await eventually(async () => {
      const checked = await check();
      expect(checked).toMatchObject({ code: 0 });
      return checked.table;
    }, slowly);
    for (const id of ['I3', 'I7', 'I8', 'I11', 'I23', 'I82', 'I83', 'I84', 'I86']) {
      expect(table).toMatch(new RegExp(`^${id} +[1-9]\\d* +0 `, 'm'));
    }
    for (const id of ['I10', 'I28']) expect(table).toMatch(new RegExp(`^${id} +unseen +0 `, 'm'));
  });

  test('looks up the given acknowledged writes', async () => {
    const { id } = await made('/customers', { email: 'eve@example.com' });
    const writes = join(folder, 'writes');
    const line = (path: string, of: string) => `${JSON.stringify({ path, id: of })}\n`;
    const ofEvent = (eventId: string) => `${JSON.stringify({ eventId })}\n`;
    await writeFile(writes, `${line(`/customers/${id as string}`, id)}${ofEvent('one')}`);
    const kept = await check(['--writes', writes]);
    expect(kept.table).toMatch(/^I10 +1 +0 /m);
    expect(kept.table).toMatch(/^I28 +1 +0 /m);

    const lost = '0197a000-0000-7000-8000-000000000101';
    await writeFile(writes, `${line(`/customers/${lost}`, lost)}${ofEvent('two')}`);
    const { code, table } = await check(['--writes', writes]);
    expect(code).toBe(1);
    expect(table).toContain(`I10 /customers/${lost} answers 404`);
    expect(table).toContain('I28 acknowledged usage event two is stored 0 times');
  });

  async function pictureOf(
    receivers: readonly WebhookReceiver[],
    hasExports = false,
  ): Promise<Verdict[]> {
    const client = system.client(api.key);
    client.acknowledged.set(`/customers/${acknowledgedId}`, acknowledgedId);
    client.acknowledgedEvents.add('one');
    const { addresses, live: stranger } = system;
    const viewpoint = { client, addresses, receivers, stranger, hasExports, hasTexts: false };
    return examineAll(await takePicture(viewpoint));
  }

  const findingIds = (verdicts: readonly Verdict[]) =>
    verdicts.filter(({ findings }) => findings.length > 0).map(({ id }) => id);

  describe('on seeded damage', () => {
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      receiver = await startWebhookReceiver();
      await made('/webhook-endpoints', { url: receiver.url });
      const [{ id: customerId }] = await api.all('/customers?email=ada@example.com');
      acknowledgedId = customerId;
      const product = (await api.all('/products')).find(({ name }) => name === 'Pro');
      const authorizedTransactionId = `${cards.good}_damage`;
      await made('/subscriptions', { customerId, productId: product.id, authorizedTransactionId });
      await eventually(async () => {
        expect(withoutRepeats(receiver.received)).toHaveLength(2);
        expect(findingIds(await pictureOf([receiver], true))).toEqual([]);
      }, slowly);
    });

    afterAll(() => receiver.close());

    /** Damages one document, and restores it after `look`. */
    async function damaged(
      { service, collection, filter, damage, repairedBy }: Seed,
      look: () => Promise<void>,
    ): Promise<void> {
      const mongo = await connectMongo({ ...system.databaseOf(service), service: 'test' });
      const documents = mongo.db.collection<{ _id: string }>(collection);
      try {
        // The oldest: the database returns several in any order, and not each suits every damage.
        const sort = { createdAt: 1, _id: 1 } as const;
        const before: any = await documents.findOne(filter, { sort });
        if (before === null) throw new Error(`Nothing to damage in ${collection}`);
        const after = damage(structuredClone(before));
        if (after === undefined) await documents.deleteOne({ _id: before._id });
        else if (after._id === before._id) await documents.replaceOne({ _id: before._id }, after);
        else await documents.insertOne(after);
        try {
          await look();
        } finally {
          if (after !== undefined) await documents.deleteOne({ _id: after._id });
          if (repairedBy !== undefined) await documents.deleteMany(repairedBy(before));
          const isReplaced = after === undefined || after._id === before._id;
          if (isReplaced) await documents.insertOne(before);
        }
      } finally {
        await mongo.close();
      }
    }

    test.each(seeds)('$id finds $what', async (seed) => {
      await damaged(seed, () =>
        eventually(async () => {
          const hasExports = ofContents.has(seed.id);
          expect(findingIds(await pictureOf([receiver], hasExports))).toContain(seed.id);
        }),
      );
    });

    test.each(['I4', 'I9'])('the command reports damage that %s finds', async (id) => {
      const seed = seeds.find((one) => one.id === id)!;
      await damaged(seed, async () => {
        const { code, table } = await check();
        expect(code).toBe(1);
        expect(table).toMatch(new RegExp(`^${id} +[1-9]\\d* +[1-9]`, 'm'));
        expect(table).toContain(`! ${id} `);
      });
    });

    test('the command checks deliveries, and names what only receivers have seen', async () => {
      const table = await eventually(async () => {
        const checked = await check();
        expect(checked).toMatchObject({ code: 0 });
        return checked.table;
      }, slowly);
      expect(table).toMatch(/^I9 +[1-9]\d* +0 /m);
      expect(table).toContain('? I9 unseen: ids and bytes of attempts, and arrival');
    });

    test('I9 finds a webhook that did not arrive', async () => {
      const lost = { ...receiver, received: receiver.received.slice(1) };
      expect(findingIds(await pictureOf([lost]))).toContain('I9');
    });

    test('I81 finds a webhook that does not repeat a scalar', async () => {
      const [first, ...others] = receiver.received;
      const { subscriptionId: _left, ...body } = first!.body;
      const changed = { ...first!, text: JSON.stringify(body) };
      const altered = { ...receiver, received: [changed, ...others] };
      expect(findingIds(await pictureOf([altered]))).toContain('I81');
    });

    test('I62 finds a webhook with another content', async () => {
      const [first, ...others] = receiver.received;
      const changed = { ...first!, text: JSON.stringify({ ...first!.body, restoreCode: 'WH5C2' }) };
      const altered = { ...receiver, received: [first!, changed, ...others] };
      expect(findingIds(await pictureOf([altered]))).toContain('I62');
    });

    test('covers every invariant', () => {
      // No usage of a real clock's last minute is recounted, exports and lists read the same
      // documents: I25 and I85 are seeded in invariants/report.test.ts alone.
      const apart = ['I62', 'I81', 'I25', 'I85'];
      const covered = new Set([...seeds.map(({ id }) => id), ...apart]);
      expect(invariants.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
    });
  });
});
