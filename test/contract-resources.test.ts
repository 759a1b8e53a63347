import type { ApiClient } from './api-client';
import { startTestSystem, type TestSystem } from './test-system';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const unknownId = '01900000-0000-7000-8000-000000000000';
const product = {
  name: 'Pro',
  type: 'FLAT',
  currency: 'eur',
  amount: 2900,
  billingInterval: 'MONTHLY',
};

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await startTestSystem();
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
});

/** The fields that are refused, after checking that it is a field map with messages. */
async function refusedFields(path: string, body: unknown): Promise<string[]> {
  const answer = await api.post(path, body);
  expect({ status: answer.status, body: answer.body, sent: body }).toMatchObject({ status: 400 });
  for (const messages of Object.values(answer.body.error)) {
    expect(messages).toEqual(expect.arrayContaining([expect.any(String)]));
  }
  return Object.keys(answer.body.error).sort();
}

describe('a customer', () => {
  test('comes back whole, absent values as null', async () => {
    const customer = await api.expect(201, api.post('/customers', { email: ' Ada@example.com ' }));
    expect(customer).toEqual({
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      externalId: null,
      email: 'Ada@example.com',
      name: null,
      phone: null,
      address: null,
      currency: 'USD',
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      metadata: {},
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
  });

  test('keeps everything it is given', async () => {
    const given = {
      email: 'a@example.com',
      externalId: `ext-${String(process.pid)}`,
      name: 'Ada',
      phone: '+44 20',
      address: {
        line1: '1 St',
        line2: null,
        city: 'L',
        state: null,
        postalCode: 'N1',
        country: 'GB',
      },
      currency: 'GBP',
      collectionMethod: 'SEND_INVOICE',
      metadata: { 'a.b': 'x', n: 1.5, yes: true, none: null },
    };
    expect(await api.expect(201, api.post('/customers', given))).toMatchObject(given);
    const again = await api.post('/customers', given);
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'Customer with this externalId already exists' },
    ]);
    expect(again.headers.get('error-code')).toBe('external_id_taken');
  });

  test.each([
    [{}, ['email']],
    [{ email: null }, ['email']],
    [{ email: 7 }, ['email']],
    [{ email: 'nobody' }, ['email']],
    [{ email: `${'x'.repeat(250)}@b.co` }, ['email']],
    [{ email: 'a@b.co', currency: 'XXX' }, ['currency']],
    [{ email: 'a@b.co', currency: 'EURO' }, ['currency']],
    [{ email: 'a@b.co', collectionMethod: 'LATER' }, ['collectionMethod']],
    [{ email: 'a@b.co', name: 'x'.repeat(201) }, ['name']],
    [{ email: 'a@b.co', phone: 'x'.repeat(41) }, ['phone']],
    [{ email: 'a@b.co', externalId: 'x'.repeat(256) }, ['externalId']],
    [{ email: 'a@b.co', address: 'here' }, ['address']],
    [{ email: 'a@b.co', address: { country: 'XX' } }, ['address']],
    [{ email: 'a@b.co', metadata: [] }, ['metadata']],
    [{ email: 'a@b.co', metadata: { nested: {} } }, ['metadata']],
    [{ email: 'a@b.co', metadata: { $where: 1 } }, ['metadata']],
    [{ email: 'a@b.co', metadata: { big: 2 ** 53 } }, ['metadata']],
    ['{"email":"a@b.co","metadata":{"__proto__":1}}', ['metadata']],
    [{ email: 'a@b.co', metadata: { long: 'x'.repeat(501) } }, ['metadata']],
  ])('is refused: %j', async (body, fields) => {
    expect(await refusedFields('/customers', body)).toEqual(fields);
  });

  test('has exactly these words for a bad address', async () => {
    const answer = await api.post('/customers', { email: 'nobody' });
    expect(answer.body).toEqual({ error: { email: ['Invalid email'] } });
    expect(answer.headers.get('error-code')).toBe('invalid_request');
  });
});

describe('a product', () => {
  test('comes back whole with its price', async () => {
    const created = await api.expect(201, api.post('/products', product));
    expect(created).toEqual({
      ...product,
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      description: null,
      currency: 'EUR',
      intervalCount: 1,
      trialDays: null,
      active: true,
      metadata: {},
      lookupKey: null,
      priceId: expect.stringMatching(uuid),
      tiers: null,
      meterPrices: [],
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await api.expect(200, api.get(`/products/${String(created.id)}`))).toEqual(created);
  });

  test.each([0, 1, 99_999_999_999])('may cost %d', async (amount) => {
    expect((await api.expect(201, api.post('/products', { ...product, amount }))).amount).toBe(
      amount,
    );
  });

  test.each([
    [{ amount: -1 }, ['amount']],
    [{ amount: 1.5 }, ['amount']],
    [{ amount: '2900' }, ['amount']],
    [{ amount: 100_000_000_000 }, ['amount']],
    [{ amount: 2 ** 53 }, ['amount']],
    [{ amount: null }, ['amount']],
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ type: 'PER_UNIT' }, ['type']],
    [{ type: 'flat' }, ['type']],
    [{ currency: 'XAU' }, ['currency']],
    [{ billingInterval: 'HOURLY' }, ['billingInterval']],
    [{ intervalCount: 0 }, ['intervalCount']],
    [{ intervalCount: 37 }, ['intervalCount']],
    [{ billingInterval: 'YEARLY', intervalCount: 6 }, ['intervalCount']],
    [{ trialDays: 731 }, ['trialDays']],
    [{ trialDays: -1 }, ['trialDays']],
    [{ billingInterval: 'ONE_TIME', trialDays: 7 }, ['trialDays']],
    [{ lookupKey: 'Has Space' }, ['lookupKey']],
    [{ active: 'yes' }, ['active']],
    [{ description: 'x'.repeat(2001) }, ['description']],
    [{ name: undefined, amount: undefined }, ['amount', 'name']],
  ])('is refused with %j', async (changes, fields) => {
    expect(await refusedFields('/products', { ...product, ...changes })).toEqual(fields);
  });

  test('with a taken lookup key is 409', async () => {
    const lookupKey = `pro.${String(process.pid)}`;
    await api.expect(201, api.post('/products', { ...product, lookupKey }));
    const answer = await api.post('/products', { ...product, lookupKey });
    expect([answer.status, answer.headers.get('error-code')]).toEqual([409, 'lookup_key_taken']);
  });
});

describe('a subscription', () => {
  let customerId: string;
  let productId: string;

  beforeAll(async () => {
    customerId = (
      await api.expect(201, api.post('/customers', { email: 'a@b.co', currency: 'EUR' }))
    ).id;
    productId = (await api.expect(201, api.post('/products', product))).id;
  });

  const subscribe = (changes: object) =>
    api.post('/subscriptions', { customerId, productId, ...changes });

  test('is answered when its first charge is applied', async () => {
    const created = await api.expect(
      201,
      subscribe({ authorizedTransactionId: 'txn_5555555555554444_a', metadata: { plan: 'x' } }),
    );
    expect(created).toMatchObject({
      id: expect.stringMatching(uuid),
      customerId,
      productId,
      status: 'ACTIVE',
      phase: 'REGULAR',
      entitled: true,
      quantity: 1,
      currency: 'EUR',
      cancelAtPeriodEnd: false,
      canceledAt: null,
      endedAt: null,
      cancelReason: null,
      discountId: null,
      latestInvoiceId: expect.stringMatching(uuid),
      authorizedTransactionId: 'txn_5555555555554444_a',
      metadata: { plan: 'x' },
      customer: { id: customerId, email: 'a@b.co', name: null },
      price: { productId, amount: 2900, type: 'FLAT' },
    });
    expect(created.items).toMatchObject([{ quantity: 1, priceId: created.priceId }]);
    const invoice = await api.expect(200, api.get(`/invoices/${String(created.latestInvoiceId)}`));
    expect(invoice).toMatchObject({
      subscriptionId: created.id,
      status: 'PAID',
      total: 2900,
      billingReason: 'SUBSCRIPTION_CREATE',
    });
    expect(Object.values(created)).not.toContain(undefined);
  });

  test('starts once for each authorised payment, however often it is asked for', async () => {
    const body = { authorizedTransactionId: 'txn_4242424242424242_once' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => subscribe(body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body: { id } }) => id as string)).size).toBe(1);
    const { total } = await api.expect(
      200,
      api.get(`/invoices?subscriptionId=${String(answers[0]?.body.id)}`),
    );
    expect(total).toBe(1);
    const other = await subscribe({ ...body, quantity: 2 });
    expect([other.status, Object.keys(other.body.error)]).toEqual([
      400,
      ['authorizedTransactionId'],
    ]);
  });

  test.each([
    ['0002', 'card_declined'],
    ['9995', 'insufficient_funds'],
    ['0119', 'processing_error'],
    ['0069', 'expired_card'],
    ['9987', 'lost_card'],
    ['9979', 'stolen_card'],
  ])('whose first charge is declined by card …%s is PAST_DUE', async (last4, failureCode) => {
    const created = await api.expect(
      201,
      subscribe({ authorizedTransactionId: `txn_400000000000${last4}` }),
    );
    expect(created.status).toBe('PAST_DUE');
    const invoice = await api.expect(200, api.get(`/invoices/${String(created.latestInvoiceId)}`));
    expect(invoice).toMatchObject({ status: 'OPEN', amountDue: 2900, amountPaid: 0 });
    expect(invoice.payments).toMatchObject([{ status: 'FAILED', failureCode }]);
  });

  test.each(['4000002500003155', '4000008400001629'])(
    'by card %s would need the payer for 3-D Secure',
    async (card) => {
      const created = await api.expect(
        201,
        subscribe({ authorizedTransactionId: `txn_${card}_x` }),
      );
      const invoice = await api.expect(
        200,
        api.get(`/invoices/${String(created.latestInvoiceId)}`),
      );
      expect(invoice.payments).toMatchObject([{ failureCode: 'authentication_required' }]);
    },
  );

  test('without any way to pay is ACTIVE with an open invoice', async () => {
    const payer = await api.expect(
      201,
      api.post('/customers', { email: 'b@b.co', currency: 'EUR' }),
    );
    const created = await api.expect(201, subscribe({ customerId: payer.id }));
    expect(created.status).toBe('ACTIVE');
    const invoice = await api.expect(200, api.get(`/invoices/${String(created.latestInvoiceId)}`));
    expect(invoice).toMatchObject({
      status: 'OPEN',
      payments: [],
      number: expect.stringMatching(/^INV-\d{6}$/),
    });
  });

  test.each([
    [{ customerId: unknownId }, 'Customer not found'],
    [{ customerId: 'x' }, 'Customer not found'],
    [{ productId: unknownId }, 'Product not found'],
    [{ productId: 'x' }, 'Product not found'],
  ])('with %j is 404', async (changes, error) => {
    const answer = await subscribe(changes);
    expect([answer.status, answer.body]).toEqual([404, { error }]);
  });

  test.each([
    [{ customerId: undefined }, ['customerId']],
    [{ productId: null }, ['productId']],
    [{ quantity: 0 }, ['quantity']],
    [{ quantity: 1_000_001 }, ['quantity']],
    [{ quantity: 1.5 }, ['quantity']],
    [{ startAt: '2026-01-01' }, ['startAt']],
    [{ startAt: '2020-01-01T00:00:00Z' }, ['startAt']],
    [{ startAt: '2099-01-01T00:00:00Z' }, ['startAt']],
    [{ authorizedTransactionId: 'x'.repeat(256) }, ['authorizedTransactionId']],
    [{ authorizedTransactionId: 7 }, ['authorizedTransactionId']],
    [{ metadata: { nested: [] } }, ['metadata']],
  ])('with %j is refused', async (changes, fields) => {
    expect(await refusedFields('/subscriptions', { customerId, productId, ...changes })).toEqual(
      fields,
    );
  });

  test('of an inactive product is 404, of a one-time product 400', async () => {
    const inactive = await api.expect(201, api.post('/products', { ...product, active: false }));
    expect((await subscribe({ productId: inactive.id })).status).toBe(404);
    const oneTime = await api.expect(
      201,
      api.post('/products', { ...product, billingInterval: 'ONE_TIME' }),
    );
    expect(await refusedFields('/subscriptions', { customerId, productId: oneTime.id })).toEqual([
      'productId',
    ]);
  });

  test('in another currency than the customer has invoices in is refused', async () => {
    const usd = await api.expect(201, api.post('/products', { ...product, currency: 'USD' }));
    expect(await refusedFields('/subscriptions', { customerId, productId: usd.id })).toEqual([
      'productId',
    ]);
  });

  test('is cancelled at the period’s end, taken back, and cancelled now', async () => {
    const { id } = await api.expect(201, subscribe({ authorizedTransactionId: 'txn_cancel' }));
    const flagged = await api.expect(
      200,
      api.post(`/subscriptions/${String(id)}/cancel`, { atPeriodEnd: true }),
    );
    expect(flagged).toMatchObject({
      status: 'ACTIVE',
      cancelAtPeriodEnd: true,
      cancelReason: 'REQUESTED',
      nextInvoiceAt: null,
      entitled: true,
    });
    expect(flagged.canceledAt).not.toBeNull();
    const back = await api.expect(200, api.post(`/subscriptions/${String(id)}/uncancel`));
    expect(back).toMatchObject({ cancelAtPeriodEnd: false, canceledAt: null, cancelReason: null });
    const ended = await api.expect(200, api.request('POST', `/subscriptions/${String(id)}/cancel`));
    expect(ended).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      cancelReason: 'REQUESTED',
      nextInvoiceAt: null,
    });
    const again = await api.expect(200, api.post(`/subscriptions/${String(id)}/cancel`));
    expect(again).toEqual(ended);
    expect((await api.post(`/subscriptions/${String(id)}/uncancel`)).status).toBe(409);
  });

  test.each(['cancel', 'uncancel'])('that does not exist cannot be asked to %s', async (verb) => {
    const answer = await api.post(`/subscriptions/${unknownId}/${verb}`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Subscription not found' }]);
  });

  test('is refused a cancellation that is no yes or no', async () => {
    expect(
      await refusedFields(`/subscriptions/${unknownId}/cancel`, { atPeriodEnd: 'yes' }),
    ).toEqual(['atPeriodEnd']);
  });
});

describe('a list of invoices', () => {
  test.each([
    'page=0',
    'page=x',
    'page=',
    'perPage=0',
    'perPage=101',
    'perPage=1.5',
    'page=1&page=2',
  ])('refuses %s', async (query) => {
    expect((await api.get(`/invoices?${query}`)).status).toBe(400);
  });

  test.each(['subscriptionId=x', `subscriptionId=${unknownId}`, `customerId=${unknownId}`])(
    'is empty for %s',
    async (query) => {
      const answer = await api.get(`/invoices?${query}`);
      expect(answer.body).toEqual({ data: [], total: 0, page: 1, perPage: 20 });
    },
  );

  test('is empty past its end and newest first before it', async () => {
    const all = await api.all('/invoices');
    const times = all.map(({ createdAt }) => createdAt as string);
    expect(times).toEqual(times.toSorted().reverse());
    const past = await api.get('/invoices?page=1000000&perPage=100');
    expect(past.body).toMatchObject({ data: [], total: all.length });
  });
});

describe('a webhook endpoint', () => {
  test('shows its secret once, is listed and deleted', async () => {
    const url = 'https://example.com/hook';
    const endpoint = await api.expect(
      201,
      api.post('/webhook-endpoints', { url, description: 'x' }),
    );
    const { secret, ...shown } = endpoint;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      url,
      events: [
        'subscription.created',
        'subscription.updated',
        'subscription.canceled',
        'subscription.renewed',
        'subscription.payment_succeeded',
        'subscription.payment_failed',
      ],
      description: 'x',
      active: true,
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await api.expect(200, api.get(`/webhook-endpoints/${String(shown.id)}`))).toEqual(shown);
    expect((await api.all('/webhook-endpoints')).map(({ id }) => id as string)).toContain(shown.id);
    const deleted = await api.delete(`/webhook-endpoints/${String(shown.id)}`);
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await api.delete(`/webhook-endpoints/${String(shown.id)}`)).status).toBe(404);
  });

  test.each([
    [{}, ['url']],
    [{ url: 'ftp://example.com' }, ['url']],
    [{ url: 'https://user:pass@example.com' }, ['url']],
    [{ url: 'http://10.0.0.1/' }, ['url']],
    [{ url: 'http://169.254.169.254/' }, ['url']],
    [{ url: 'http://[fd00::1]/' }, ['url']],
    [{ url: 'http://[64:ff9b::a00:1]/' }, ['url']],
    [{ url: 'https://example.com', events: ['subscription.exploded'] }, ['events']],
    [{ url: 'https://example.com', events: 'all' }, ['events']],
  ])('is refused: %j', async (body, fields) => {
    expect(await refusedFields('/webhook-endpoints', body)).toEqual(fields);
  });

  test('on loopback is refused in the live environment', async () => {
    const answer = await system.live.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
    expect(answer.status).toBe(400);
  });

  test('is one of at most ten, also when twenty race', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        sandbox.post('/webhook-endpoints', { url: 'https://example.com' }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
  });
});

describe('environments', () => {
  test('show nothing of each other', async () => {
    const customer = await api.expect(201, api.post('/customers', { email: 'a@b.co' }));
    const other = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    for (const stranger of [system.live, other]) {
      expect((await stranger.get(`/customers/${String(customer.id)}`)).status).toBe(404);
    }
    expect((await other.get('/invoices')).body.total).toBe(0);
  });

  test('that are live have no provider yet: a charge fails softly', async () => {
    const { live } = system;
    const customer = await live.expect(201, live.post('/customers', { email: 'a@b.co' }));
    const sold = await live.expect(201, live.post('/products', { ...product, currency: 'USD' }));
    const created = await live.expect(
      201,
      live.post('/subscriptions', {
        customerId: customer.id,
        productId: sold.id,
        authorizedTransactionId: 'real',
      }),
    );
    const invoice = await live.expect(
      200,
      live.get(`/invoices/${String(created.latestInvoiceId)}`),
    );
    expect(invoice.payments).toMatchObject([
      { status: 'FAILED', failureCode: 'no_payment_provider' },
    ]);
  });
});

describe('a sandbox', () => {
  test('is made with the live key only', async () => {
    const answer = await api.post('/sandboxes', {});
    expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
  });

  test('shows its clock and its key', async () => {
    const sandbox = await system.live.expect(
      201,
      system.live.post('/sandboxes', {
        name: 'demo',
        clock: 'MANUAL',
        startsAt: '2026-01-17T01:00:00+01:00',
      }),
    );
    expect(sandbox).toEqual({
      id: expect.stringMatching(uuid),
      name: 'demo',
      clock: 'MANUAL',
      now: '2026-01-17T00:00:00.000Z',
      key: expect.stringMatching(/^billing_test_[0-9A-Za-z]{49}$/),
      createdAt: expect.stringMatching(instant),
    });
    const client = system.client(sandbox.key as string);
    expect((await client.get('/sandboxes/clock')).body).toEqual({
      clock: 'MANUAL',
      now: sandbox.now,
    });
    expect(await client.advanceTo('2026-01-18T00:00:00Z')).toEqual({
      now: '2026-01-18T00:00:00.000Z',
      processed: 0,
    });
    const back = await client.post('/sandboxes/clock/advance', { to: '2026-01-17T23:59:59Z' });
    expect([back.status, Object.keys(back.body.error)]).toEqual([400, ['to']]);
    expect(await client.advanceTo('2026-01-18T00:00:00Z')).toMatchObject({ processed: 0 });
  });

  test.each([
    [{ clock: 'FAST' }, ['clock']],
    [{ clock: 'MANUAL', startsAt: 'soon' }, ['startsAt']],
    [{ clock: 'REAL', startsAt: '2026-01-01T00:00:00Z' }, ['startsAt']],
    [{ name: 'x'.repeat(201) }, ['name']],
  ])('is refused: %j', async (body, fields) => {
    const answer = await system.live.post('/sandboxes', body);
    expect([answer.status, Object.keys(answer.body.error)]).toEqual([400, fields]);
  });

  test('with a real clock, and the live environment, cannot be advanced', async () => {
    for (const client of [api, system.live]) {
      const answer = await client.post('/sandboxes/clock/advance', { to: '2030-01-01T00:00:00Z' });
      expect(answer.status).toBe(409);
    }
  });
});
