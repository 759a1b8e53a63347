import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { firstOwnerLink, OperatorClient } from '../support/operator-client';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let owner: OperatorClient;
let sandboxId: string;
let sandbox: OperatorClient;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await operatorOf(system, await firstOwnerLink(system));
  const { body } = await owner.api('GET', '/environments');
  [, sandboxId = ''] = body.data.map(({ id }: { id: string }) => id);
  sandbox = owner.in(sandboxId);
});

/** A new operator; addresses are unique in the shared system. */
async function operatorOf({ gatewayUrl }: TestSystem, link: string): Promise<OperatorClient> {
  const client = new OperatorClient(gatewayUrl);
  await client.accept(link, `${newId()}@example.com`);
  return client;
}

interface Result {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

async function search(q: string, client = sandbox, filter = ''): Promise<readonly Result[]> {
  // A service that is slow to answer is left out.
  return eventually(async () => {
    const { status, body } = await client.api('GET', `/search?q=${encodeURIComponent(q)}${filter}`);
    expect([q, status, body.missing]).toEqual([q, 200, []]);
    return body.results as Result[];
  });
}

const create = async (path: string, body: object, client: ApiClient = system.sandbox) =>
  client.expect(201, client.post(path, body));

/** One resource of each type, with a name of its own. */
async function createResources() {
  const customer = await create('/customers', {
    email: 'ada@analytical.example',
    name: 'Ada Lovelace',
    externalId: 'cus_1815',
  });
  const product = await create('/products', {
    name: 'Difference Engine',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900,
    billingInterval: 'MONTHLY',
    lookupKey: 'engine_monthly',
  });
  const discount = await create('/discounts', {
    name: 'Spring sale',
    code: 'SPRING26',
    type: 'PERCENTAGE',
    value: 10,
    duration: 'ONCE',
  });
  const endpoint = await create('/webhook-endpoints', {
    url: 'https://hooks.babbage.example/billing',
  });
  const subscription = await create('/subscriptions', {
    customerId: customer.id,
    productId: product.id,
    authorizedTransactionId: 'txn_4242424242424242',
  });
  const invoice = await eventually(async () => {
    const { data } = await system.sandbox.expect(200, system.sandbox.get('/invoices'));
    expect(data).toMatchObject([{ status: 'PAID', number: expect.any(String) }]);
    // It becomes active a moment after the payment.
    const path = `/subscriptions/${String(subscription.id)}`;
    expect((await system.sandbox.get(path)).body.status).toBe('ACTIVE');
    return data[0] as { id: string; number: string };
  });
  return { customer, product, discount, endpoint, subscription, invoice };
}

describe('the search of the dashboard', () => {
  let made: Awaited<ReturnType<typeof createResources>>;

  beforeAll(async () => {
    made = await createResources();
  });

  test('finds each type of resource by what people call it, and by its id', async () => {
    const { customer, product, discount, endpoint, subscription, invoice } = made;
    const of = (type: string, { id }: { id?: unknown }, title: string, detail: string) => ({
      ...{ type, id, title, detail },
    });
    const ada = of('CUSTOMER', customer, 'Ada Lovelace', 'ada@analytical.example');
    const engine = of('PRODUCT', product, 'Difference Engine', 'engine_monthly');
    const sale = of('DISCOUNT', discount, 'Spring sale', 'SPRING26');
    const hook = of('WEBHOOK_ENDPOINT', endpoint, 'https://hooks.babbage.example/billing', '');
    const plan = of('SUBSCRIPTION', subscription, 'Difference Engine', 'Ada Lovelace · Active');
    const bill = of('INVOICE', invoice, invoice.number, 'Paid · $29.00');
    const found: readonly (readonly [string, readonly object[]])[] = [
      ['ADA', [ada, plan]],
      ['lovel', [ada, plan]],
      ['analytical.example', [ada, plan]],
      ['cus_18', [ada, plan]],
      ['lovelcae', [ada, plan]],
      ['ada diff', [plan]],
      ['engine lovel', [plan]],
      ['ada spring', []],
      ['diff eng', [plan, engine]],
      ['engine_mo', [plan, engine]],
      ['engine', [plan, engine]],
      ['spring26', [sale]],
      ['babbage', [hook]],
      [invoice.number, [bill]],
      [invoice.number.replace(/\D*0*/, ''), [bill]],
      ['xyz', []],
      ['  ', []],
    ];
    for (const [q, results] of found) expect([q, await search(q)]).toEqual([q, results]);
    for (const one of [ada, engine, sale, hook, plan, bill]) {
      const id = String(one.id);
      for (const start of [id, id.slice(0, 23), id.slice(0, 18)]) {
        expect([start, await search(start)]).toEqual([start, [one]]);
      }
      // Ids of the same minute begin with the same eight digits.
      expect(await search(id.slice(0, 8))).toContainEqual(one);
    }
  });

  test('follows a change at once', async () => {
    const { id } = made.customer;
    await system.sandbox.expect(
      200,
      system.sandbox.request('PATCH', `/customers/${String(id)}`, { body: { name: 'Ada King' } }),
    );
    expect(await search('king')).toMatchObject([
      { id, title: 'Ada King' },
      { type: 'SUBSCRIPTION', detail: 'Ada King · Active' },
    ]);
    expect(await search('lovelace')).toEqual([]);
  });

  test('finds nothing of another environment or organization', async () => {
    const stranger = await joinTestSystem();
    const other = await operatorOf(stranger, await firstOwnerLink(stranger));
    const { body } = await other.api('GET', '/environments');
    const { body: own } = await owner.api('GET', '/environments');
    const [liveId] = own.data.map(({ id }: { id: string }) => id);
    const places = [owner.in(liveId), ...body.data.map(({ id }: any) => other.in(id))];
    for (const q of ['ada', 'engine', 'spring26', 'babbage', made.invoice.number]) {
      for (const place of places) expect([q, await search(q, place)]).toEqual([q, []]);
    }
    for (const { id } of Object.values(made)) {
      for (const place of places) expect(await search(String(id), place)).toEqual([]);
    }
    const across = await other.in(sandboxId).api('GET', '/search?q=ada');
    expect(across.status).toBe(404);
  });

  test('finds more of one type than of all types', async () => {
    for (let number = 1; number <= 10; number += 1) {
      await create('/customers', { email: `engine${number}@example.com`, name: 'Engine' });
    }
    const typesOf = (results: readonly Result[]) => new Set(results.map(({ type }) => type));
    const all = await search('engine');
    expect([all.length, typesOf(all).size]).toEqual([10, 3]);
    const customers = await search('engine', sandbox, '&type=CUSTOMER');
    expect([customers.length, [...typesOf(customers)]]).toEqual([10, ['CUSTOMER']]);
    expect((await sandbox.api('GET', '/search?q=engine&type=ENGINE')).status).toBe(400);
  });

  test('finds active products and discounts alone, and subscriptions of one customer', async () => {
    const monthly = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const names = { name: 'Filtered' };
    const sale = { ...names, type: 'PERCENTAGE', value: 10, duration: 'ONCE' };
    const archive = async (path: string) =>
      system.sandbox.expect(
        200,
        system.sandbox.request('PATCH', path, { body: { active: false } }),
      );
    for (const [path, type, body] of [
      ['/products', 'PRODUCT', { ...monthly, ...names }],
      ['/discounts', 'DISCOUNT', sale],
    ] as const) {
      const [sold, archived] = [await create(path, body), await create(path, body)];
      await archive(`${path}/${String(archived.id)}`);
      const found = async (filter: string) =>
        (await search('filtered', sandbox, `&type=${type}${filter}`)).map(({ id }) => id);
      expect(await found('&active=true')).toEqual([sold.id]);
      expect(await found('&active=false')).toEqual([archived.id]);
      expect((await found('')).sort()).toEqual([sold.id, archived.id].sort());
    }
    const { id: productId } = await create('/products', { ...monthly, name: 'Shared' });
    const subscribe = async (name: string) => {
      const { id: customerId } = await create('/customers', { email: 'of@example.com', name });
      const authorizedTransactionId = `txn_4242424242424242_${name}`;
      return create('/subscriptions', { customerId, productId, authorizedTransactionId });
    };
    const mine = await subscribe('Mine');
    await subscribe('Other');
    const filter = `&type=SUBSCRIPTION&customerId=${String(mine.customerId)}`;
    expect((await search('shared', sandbox, filter)).map(({ id }) => id)).toEqual([mine.id]);
    const refused = await sandbox.api('GET', '/search?q=shared&type=PRODUCT&active=yes');
    expect(refused.status).toBe(400);
  });

  test('finds products by the terms of their price among a hundred others, and lists them', async () => {
    const monthly = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const name = 'Termed plan';
    const client = new PersistentClient(system.sandbox);
    const make = async (terms: object) =>
      (await client.post(201, '/products', { ...monthly, name, ...terms })).id as string;
    const sold = await make({});
    const others = [
      { currency: 'EUR' },
      { intervalCount: 2 },
      { billingInterval: 'YEARLY' },
      { billingInterval: 'ONE_TIME' },
    ];
    for (let number = 0; number < 26; number += 1) await Promise.all(others.map(make));
    const terms =
      '&active=true&currency=USD&recurring=true&billingInterval=MONTHLY&intervalCount=1';
    for (const q of ['termed', 'termed plan', 'termd']) {
      const found = await search(q, sandbox, `&type=PRODUCT${terms}`);
      expect([q, found.map(({ id }) => id)]).toEqual([q, [sold]]);
    }
    const listed = await eventually(async () => {
      const { status, body } = await sandbox.api('GET', `/products?order=desc${terms}`);
      expect(status).toBe(200);
      return body;
    });
    const termsOf = ({ currency, billingInterval, intervalCount }: any) =>
      [currency, billingInterval, intervalCount].join();
    expect(listed.data[0].id).toBe(sold);
    expect([...new Set(listed.data.map(termsOf))]).toEqual(['USD,MONTHLY,1']);
    const refused = await sandbox.api('GET', '/products?billingInterval=HOURLY');
    expect(refused.status).toBe(400);
  });

  test('is open to viewers, and refuses a long or missing text', async () => {
    const email = `${newId()}@example.com`;
    const { body } = await owner.api('POST', '/operators', { email, role: 'VIEWER' });
    const colleague = new OperatorClient(system.gatewayUrl);
    await colleague.accept(body.link as string, email);
    const viewer = colleague.in(sandboxId);
    expect((await search('babbage', viewer)).length).toBe(1);
    expect((await sandbox.api('GET', `/search?q=${'a'.repeat(101)}`)).status).toBe(400);
    expect((await sandbox.api('GET', '/search')).status).toBe(400);
  });
});
