import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
});

beforeEach(async () => {
  api = await system.live.manualSandbox('2026-03-10T12:00:00Z');
});

async function aCustomer(): Promise<any> {
  return api.expect(201, api.post('/customers', { email: 'a@b.co' }));
}

async function aMeter(body: object = {}): Promise<any> {
  return api.expect(201, api.post('/meters', { name: 'Calls', ...body }));
}

async function grant(customer: any, body: object): Promise<any> {
  return api.expect(201, api.post(`/customers/${String(customer.id)}/meter-credits`, body));
}

async function grantsOf(customer: any): Promise<any[]> {
  return api.all(`/customers/${String(customer.id)}/meter-credits`);
}

async function stateOf(customer: any): Promise<any[]> {
  return api.expect(200, api.get(`/customers/${String(customer.id)}/state`));
}

async function use(customer: any, meter: any, events: object[]): Promise<void> {
  const sent = events.map((event) => ({ customerId: customer.id, meterId: meter.id, ...event }));
  const answer = await api.expect(201, api.post('/events/ingest', { events: sent }));
  expect(answer).toMatchObject({ accepted: events.length, rejected: [] });
}

test('a grant is returned with all its fields', async () => {
  const [customer, meter] = [await aCustomer(), await aMeter()];
  const answer = await grant(customer, { meterId: meter.id, amount: 12.5, customerId: 'ignored' });
  expect(answer).toEqual({
    id: expect.stringMatching(uuid),
    organizationId: expect.stringMatching(uuid),
    customerId: customer.id,
    meterId: meter.id,
    amount: '12.5',
    remaining: '12.5',
    consumed: '0',
    priority: 100,
    source: 'PROMOTIONAL',
    name: null,
    effectiveAt: '2026-03-10T12:00:00.000Z',
    expiresAt: null,
    status: 'ACTIVE',
    metadata: {},
    createdAt: expect.stringMatching(instant),
  });
  expect(await grantsOf(customer)).toEqual([answer]);
});

test('a grant without quantity, customer or meter is refused', async () => {
  const [customer, meter] = [await aCustomer(), await aMeter()];
  const path = `/customers/${String(customer.id)}/meter-credits`;
  const meterId = meter.id as string;
  expect(await api.refusedFields(path, {})).toEqual(['amount', 'meterId']);
  expect(await api.refusedFields(path, { meterId, amount: 0 })).toEqual(['amount']);
  expect(await api.refusedFields(path, { meterId, amount: '-1' })).toEqual(['amount']);
  const past = { meterId, amount: 1, expiresAt: '2026-03-10T12:00:00Z' };
  expect(await api.refusedFields(path, past)).toEqual(['expiresAt']);
  expect(await api.refusedFields(path, { meterId, amount: 1, priority: 256 })).toEqual([
    'priority',
  ]);
  const unknown = await Promise.all([
    api.post(path, { meterId: unknownId, amount: 1 }),
    api.post(`/customers/${unknownId}/meter-credits`, { meterId, amount: 1 }),
    api.get(`/customers/${unknownId}/meter-credits`),
    api.get(`/customers/nonsense/state`),
  ]);
  expect(unknown.map(({ status, body }) => [status, body.error])).toEqual([
    [404, 'Meter not found'],
    [404, 'Customer not found'],
    [404, 'Customer not found'],
    [404, 'Customer not found'],
  ]);
});

test('a customer without usage, credits or prices has an empty state', async () => {
  const customer = await aCustomer();
  await aMeter();
  expect(await stateOf(customer)).toEqual([]);
});

test('a state shows each accepted event immediately, in the calendar month', async () => {
  const [customer, meter] = [await aCustomer(), await aMeter({ unit: 'calls' })];
  await use(customer, meter, [
    { quantity: '0.1' },
    { quantity: '0.2' },
    { quantity: 7, timestamp: '2026-02-28T23:59:59Z' },
    { quantity: 5, timestamp: '2026-03-01T00:00:00Z' },
  ]);
  expect(await stateOf(customer)).toEqual([
    {
      meterId: meter.id,
      meterName: 'Calls',
      unit: 'calls',
      subscriptionId: null,
      periodStart: '2026-03-01T00:00:00.000Z',
      periodEnd: '2026-04-01T00:00:00.000Z',
      usage: '5.3',
      includedUnits: '0',
      creditsGranted: '0',
      creditsRemaining: '0',
      balance: '-5.3',
      overage: '5.3',
      estimatedAmount: null,
      currency: null,
      entitled: false,
      asOf: '2026-03-10T12:00:00.000Z',
    },
  ]);
  await use(customer, meter, [{ quantity: -5 }]);
  expect(await stateOf(customer)).toMatchObject([{ usage: '0.3' }]);
});

test.each<[string, object, object[], string]>([
  ['COUNT', {}, [{ quantity: 5 }, { quantity: 7 }], '2'],
  ['MAX', {}, [{ quantity: 5 }, { quantity: '7.5' }, { quantity: 1 }], '7.5'],
  [
    'LATEST',
    {},
    [
      { quantity: 5, timestamp: '2026-03-10T11:00:00Z' },
      { quantity: 7, timestamp: '2026-03-10T10:00:00Z' },
    ],
    '5',
  ],
  [
    'UNIQUE_COUNT',
    { uniqueProperty: 'user' },
    ['a', 'b', 'a', 1, '1', null].map((user) => ({ properties: { user } })),
    '3',
  ],
])('%s aggregates as specified', async (aggregation, given, events, usage) => {
  const [customer, meter] = [await aCustomer(), await aMeter({ aggregation, ...given })];
  await use(customer, meter, events);
  expect(await stateOf(customer)).toMatchObject([{ usage }]);
});

test('credits cover usage in their order and window, and granted units are consumed or remain', async () => {
  const [customer, meter] = [await aCustomer(), await aMeter()];
  const meterId = meter.id as string;
  const times = { effectiveAt: '2026-03-01T00:00:00Z' };
  await grant(customer, { meterId, amount: 10, name: 'paid', source: 'PAID', ...times });
  await grant(customer, { meterId, amount: 10, name: 'free', ...times });
  await grant(customer, {
    meterId,
    amount: 10,
    name: 'short',
    ...times,
    expiresAt: '2026-03-05T00:30:00Z',
  });
  await grant(customer, {
    meterId,
    amount: 10,
    name: 'later',
    effectiveAt: '2026-04-02T00:00:00Z',
  });
  await use(customer, meter, [
    { quantity: 3, timestamp: '2026-03-05T00:29:00Z' },
    { quantity: 13, timestamp: '2026-03-05T00:31:00Z' },
  ]);
  const shown = (await grantsOf(customer)).map(({ name, consumed, remaining, status }) => [
    name,
    consumed,
    remaining,
    status,
  ]);
  expect(shown.toSorted()).toEqual([
    ['free', '10', '0', 'DEPLETED'],
    ['later', '0', '10', 'SCHEDULED'],
    ['paid', '3', '7', 'ACTIVE'],
    ['short', '3', '7', 'EXPIRED'],
  ]);
  expect(await stateOf(customer)).toMatchObject([
    {
      usage: '16',
      creditsGranted: '30',
      creditsRemaining: '7',
      balance: '7',
      overage: '0',
      entitled: true,
    },
  ]);
});

test('a subscription that prices a meter shows its period, the included units, and the amount an invoice would have', async () => {
  const [customer, meter] = [await aCustomer(), await aMeter()];
  const sold = await api.expect(201, api.post('/products', product));
  const prices = [{ meterId: meter.id, unitAmount: '2.5', includedUnits: 10 }];
  const path = `/products/${String(sold.id)}/meter-prices`;
  await api.expect(200, api.request('PATCH', path, { body: { prices } }));
  const subscription = await api.expect(
    201,
    api.post('/subscriptions', {
      customerId: customer.id,
      productId: sold.id,
      authorizedTransactionId: 'txn_usage',
    }),
  );
  await grant(customer, { meterId: meter.id, amount: 3 });
  expect(await stateOf(customer)).toMatchObject([{ usage: '0', balance: '13', entitled: true }]);
  await use(customer, meter, [
    { quantity: 20 },
    { quantity: 5, timestamp: '2026-03-10T11:59:59Z' },
  ]);
  expect(await stateOf(customer)).toMatchObject([
    {
      subscriptionId: subscription.id,
      periodStart: '2026-03-10T12:00:00.000Z',
      periodEnd: '2026-04-10T12:00:00.000Z',
      usage: '20',
      includedUnits: '10',
      creditsGranted: '3',
      creditsRemaining: '0',
      balance: '-7',
      overage: '7',
      // 17.5, half up.
      estimatedAmount: 18,
      currency: 'EUR',
      entitled: true,
    },
  ]);
});

test('usage that costs more than the largest amount is shown without an estimate, and hides no other meter', async () => {
  const customer = await aCustomer();
  const [huge, small] = [await aMeter({ name: 'Huge' }), await aMeter({ name: 'Small' })];
  const sold = await api.expect(201, api.post('/products', product));
  const prices = [
    { meterId: huge.id, unitAmount: '99999999999' },
    { meterId: small.id, unitAmount: '1' },
  ];
  const path = `/products/${String(sold.id)}/meter-prices`;
  await api.expect(200, api.request('PATCH', path, { body: { prices } }));
  await api.expect(
    201,
    api.post('/subscriptions', {
      customerId: customer.id,
      productId: sold.id,
      authorizedTransactionId: 'txn_usage',
    }),
  );
  await use(customer, small, [{ quantity: 7 }]);
  const quantity = '1000000000000000';
  await use(customer, huge, [{ quantity }, { quantity }]);
  const shown = await stateOf(customer);
  expect(shown).toHaveLength(2);
  expect(shown).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        meterId: huge.id,
        usage: '2000000000000000',
        balance: '-2000000000000000',
        overage: '2000000000000000',
        estimatedAmount: null,
        currency: 'EUR',
      }),
      expect.objectContaining({ meterId: small.id, usage: '7', estimatedAmount: 7 }),
    ]),
  );
});
