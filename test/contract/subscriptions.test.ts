import type { ApiClient } from '../support/api-client';
import { product, unknownId, uuid } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
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

  const billed = (changes: object) => api.subscribe({ customerId, productId, ...changes });

  test('may have several items, and has the product of the first', async () => {
    const added = await api.expect(201, api.post('/products', { ...product, name: 'Add-on' }));
    const items = [{ productId }, { priceId: added.priceId, quantity: 2 }];
    const created = await api.expect(201, subscribe({ productId: undefined, items }));
    expect(created).toMatchObject({
      productId,
      items: [{ productId }, { productId: added.id, priceId: added.priceId, quantity: 2 }],
    });
    const listed = await api.expect(200, api.get(`/subscriptions?productId=${String(added.id)}`));
    expect(listed.data.map(({ id }: any) => id)).toEqual([created.id]);
  });

  test.each<[string, () => object, object]>([
    ['no product', () => ({ productId: undefined }), { productId: ['Required'] }],
    [
      'items next to a quantity',
      () => ({ productId: undefined, items: [{ productId }], quantity: 1 }),
      { items: ['Not together with productId, priceId or quantity'] },
    ],
    [
      'no item',
      () => ({ productId: undefined, items: [] }),
      { items: ['Must have at least 1 element'] },
    ],
    [
      'a product twice',
      () => ({ productId: undefined, items: [{ productId }, { productId }] }),
      { items: ['1.productId: Product is there twice'] },
    ],
  ])('with %s is refused', async (_case, changes, error) => {
    const answer = await subscribe(changes());
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });

  test('is returned after its first charge is applied', async () => {
    const authorizedTransactionId = 'txn_5555555555554444_a';
    const created = await billed({ authorizedTransactionId, metadata: { plan: 'x' } });
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

  test('starts once for each authorized payment, however often it is requested', async () => {
    const body = { authorizedTransactionId: 'txn_4242424242424242_once' };
    const persistent = new PersistentClient(api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => persistent.answer(() => subscribe(body))),
    );
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
    const created = await billed({ authorizedTransactionId: `txn_400000000000${last4}` });
    expect(created.status).toBe('PAST_DUE');
    const invoice = await api.expect(200, api.get(`/invoices/${String(created.latestInvoiceId)}`));
    expect(invoice).toMatchObject({ status: 'OPEN', amountDue: 2900, amountPaid: 0 });
    expect(invoice.payments).toMatchObject([{ status: 'FAILED', failureCode }]);
  });

  test.each(['4000002500003155', '4000008400001629'])(
    'by card %s would need the payer for 3-D Secure',
    async (card) => {
      const created = await billed({ authorizedTransactionId: `txn_${card}_x` });
      const invoice = await api.expect(
        200,
        api.get(`/invoices/${String(created.latestInvoiceId)}`),
      );
      expect(invoice.payments).toMatchObject([{ failureCode: 'authentication_required' }]);
    },
  );

  test('without a payment method is ACTIVE with an open invoice', async () => {
    const payer = await api.expect(
      201,
      api.post('/customers', { email: 'b@b.co', currency: 'EUR' }),
    );
    const created = await billed({ customerId: payer.id });
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
    expect(
      await api.refusedFields('/subscriptions', { customerId, productId, ...changes }),
    ).toEqual(fields);
  });

  test('of an inactive product is 404, of a one-time product 400', async () => {
    const inactive = await api.expect(201, api.post('/products', { ...product, active: false }));
    expect((await subscribe({ productId: inactive.id })).status).toBe(404);
    const oneTime = await api.expect(
      201,
      api.post('/products', { ...product, billingInterval: 'ONE_TIME' }),
    );
    expect(
      await api.refusedFields('/subscriptions', { customerId, productId: oneTime.id }),
    ).toEqual(['productId']);
  });

  test("in another currency than the customer's invoices is refused", async () => {
    const usd = await api.expect(201, api.post('/products', { ...product, currency: 'USD' }));
    expect(await api.refusedFields('/subscriptions', { customerId, productId: usd.id })).toEqual([
      'productId',
    ]);
  });

  test('is canceled at period end, the cancellation undone, and canceled immediately', async () => {
    const { id } = await billed({ authorizedTransactionId: 'txn_cancel' });
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

  test.each(['cancel', 'uncancel'])('with an unknown id cannot be asked to %s', async (verb) => {
    const answer = await api.post(`/subscriptions/${unknownId}/${verb}`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Subscription not found' }]);
  });

  test('is refused a cancellation with a value that is no boolean', async () => {
    expect(
      await api.refusedFields(`/subscriptions/${unknownId}/cancel`, { atPeriodEnd: 'yes' }),
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
