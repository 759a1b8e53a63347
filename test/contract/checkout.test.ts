import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';

let system: TestSystem;
let api: ApiClient;
let customer: any;
let sold: any;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  customer = await make('/customers', { email: 'ada@example.com', name: 'Ada' });
  sold = await make('/products', product);
});

const make = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));

const create = (more: object = {}) =>
  api.post('/checkout', { customerId: customer.id, priceId: sold.priceId, ...more });

describe('POST /checkout', () => {
  test('creates a session, its page and its open invoice', async () => {
    const answer = await create({ metadata: { cart: 7 } });
    expect(answer.status).toBe(201);
    const { sessionId, checkoutUrl, invoice } = answer.body;
    expect(Object.keys(answer.body).sort()).toEqual(['checkoutUrl', 'invoice', 'sessionId']);
    expect(sessionId).toMatch(uuid);
    expect(answer.headers.get('location')).toBe(`/v1/checkout/${sessionId}`);
    expect(checkoutUrl).toMatch(new RegExp(`^${system.gatewayUrl}/checkout/[\\w-]{43}$`));
    expect(invoice).toMatchObject({
      status: 'OPEN',
      billingReason: 'CHECKOUT',
      customerId: customer.id,
      subscriptionId: null,
      currency: 'EUR',
      total: 2900,
      amountDue: 2900,
      periodStart: null,
      periodEnd: null,
      hostedUrl: checkoutUrl,
      lineItems: [{ kind: 'RECURRING', amount: 2900, priceId: sold.priceId }],
    });
  });

  test('sells several items together, each with a line of its own', async () => {
    const seats = await make('/products', { ...product, name: 'Seats', type: 'PER_UNIT' });
    const items = [{ productId: sold.id }, { priceId: seats.priceId, quantity: 2 }];
    const answer = await api.post('/checkout', { customerId: customer.id, items });
    expect(answer.status).toBe(201);
    const { sessionId, invoice } = answer.body;
    expect(invoice).toMatchObject({
      total: 8700,
      lineItems: [{ amount: 2900 }, { amount: 5800, productId: seats.id }],
    });
    const session = await api.expect(200, api.get(`/checkout/${sessionId}`));
    expect(session.items).toEqual([
      { productId: sold.id, priceId: sold.priceId, quantity: 1 },
      { productId: seats.id, priceId: seats.priceId, quantity: 2 },
    ]);
  });

  test.each([
    ['a price', () => ({ priceId: sold.priceId })],
    ['a product as a price', () => ({ priceId: sold.id })],
    ['a product', () => ({ priceId: undefined, productId: sold.id })],
  ])('accepts %s', async (_case, terms) => {
    const { sessionId } = await api.expect(201, create(terms()));
    expect(await api.expect(200, api.get(`/checkout/${sessionId}`))).toMatchObject({
      productId: sold.id,
      priceId: sold.priceId,
    });
  });

  test.each([
    ['no customer', { customerId: undefined }, { customerId: ['Required'] }],
    ['a malformed customer', { customerId: 'x' }, { customerId: ['Invalid uuid'] }],
    ['a malformed price', { priceId: 'x' }, { priceId: ['Invalid uuid'] }],
    ['a malformed product', { productId: 'x' }, { productId: ['Invalid uuid'] }],
    ['neither price nor product', { priceId: undefined }, { priceId: ['Required'] }],
    [
      'nothing at all',
      { customerId: undefined, priceId: undefined },
      { customerId: ['Required'], priceId: ['Required'] },
    ],
    [
      'a malformed customer without a product',
      { customerId: 'x', priceId: undefined },
      { customerId: ['Invalid uuid'], priceId: ['Required'] },
    ],
    [
      'a price that is not a string, with one problem',
      { customerId: undefined, priceId: 7 },
      { customerId: ['Required'], priceId: ['Invalid uuid'] },
    ],
    ['null as price and product', { priceId: null, productId: null }, { priceId: ['Required'] }],
    ['a malformed discount', { discountId: 'x' }, { discountId: ['Discount is not valid'] }],
    ['an unknown discount', { discountId: unknownId }, { discountId: ['Discount is not valid'] }],
  ])('refuses %s', async (_case, wrong, fields) => {
    expect(await api.expect(400, create(wrong))).toEqual({ error: fields });
  });

  test.each([
    { successUrl: '/thanks' },
    { successUrl: 'javascript:alert(1)' },
    { successUrl: 'https://user:secret@shop.example' },
    { successUrl: `https://shop.example/${'x'.repeat(2_040)}` },
    { cancelUrl: 'ftp://shop.example' },
    { locale: 'xx' },
    { quantity: 0 },
    { quantity: 1_000_001 },
    { metadata: { nested: {} } },
  ])('refuses %j', async (wrong) => {
    const body = { customerId: customer.id, priceId: sold.priceId, ...wrong };
    expect(await api.refusedFields('/checkout', body)).toEqual(Object.keys(wrong));
  });

  test('answers 404 for unknown resources', async () => {
    const inactive = await make('/products', { ...product, active: false });
    const changed = await make('/products', product);
    await api.expect(200, api.request('PATCH', `/products/${changed.id}`, { body: { amount: 1 } }));
    const link = await make('/checkout-links', {
      label: 'x',
      productIds: [sold.id],
      active: false,
    });
    const cases: readonly (readonly [object, string])[] = [
      [{ customerId: unknownId }, 'Customer not found'],
      // Without a version in its place, as callers write ids by hand.
      [{ customerId: '11111111-1111-1111-1111-111111111111' }, 'Customer not found'],
      [{ priceId: unknownId }, 'Product not found'],
      [{ priceId: inactive.priceId }, 'Product not found'],
      [{ priceId: changed.priceId }, 'Product not found'],
      [{ checkoutLinkId: unknownId }, 'Checkout link not found'],
      [{ checkoutLinkId: 'malformed' }, 'Checkout link not found'],
      [{ checkoutLinkId: link.id }, 'Checkout link not found'],
    ];
    for (const [wrong, error] of cases) {
      expect(await api.expect(404, create(wrong))).toEqual({ error });
    }
  });

  test("shows the customer's current data", async () => {
    const { id: customerId } = await make('/customers', { email: 'ada@example.com', name: 'Ada' });
    const { sessionId } = await api.expect(201, create({ customerId }));
    const before = await api.get(`/checkout/${sessionId as string}`);
    const changes = { name: 'Ada King', email: 'king@example.com' };
    await api.expect(
      200,
      api.request('PATCH', `/customers/${customerId as string}`, { body: changes }),
    );
    const after = await api.get(`/checkout/${sessionId as string}`);
    expect(after.body.customer).toMatchObject({ id: customerId, ...changes });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('a link sells only its own products', async () => {
    const other = await make('/products', product);
    const link = await make('/checkout-links', { label: 'x', productIds: [other.id] });
    expect(await api.expect(400, create({ checkoutLinkId: link.id }))).toEqual({
      error: { checkoutLinkId: ['Does not offer this product'] },
    });
  });

  test('creates one session per idempotency key', async () => {
    const again = () =>
      api.post(
        '/checkout',
        { customerId: customer.id, priceId: sold.priceId },
        { 'Idempotency-Key': 'one-session' },
      );
    const first = await again();
    const second = await again();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});

describe('GET /checkout/:sessionId', () => {
  test('shows the session with its invoice and customer', async () => {
    const { sessionId, checkoutUrl, invoice } = await api.expect(
      201,
      create({ quantity: 3, successUrl: 'https://a.example/{SESSION_ID}', metadata: { a: 1 } }),
    );
    const answer = await api.get(`/checkout/${sessionId}`);
    expect(answer.body).toEqual({
      id: sessionId,
      organizationId: customer.organizationId,
      customerId: customer.id,
      productId: sold.id,
      priceId: sold.priceId,
      quantity: 3,
      items: [{ productId: sold.id, priceId: sold.priceId, quantity: 3 }],
      discountId: null,
      allowDiscountCodes: false,
      checkoutLinkId: null,
      invoiceId: invoice.id,
      subscriptionId: null,
      status: 'OPEN',
      checkoutUrl,
      successUrl: 'https://a.example/{SESSION_ID}',
      cancelUrl: null,
      locale: null,
      expiresAt: '2026-02-01T00:00:00.000Z',
      completedAt: null,
      lastPaymentError: null,
      metadata: { a: 1 },
      createdAt: startsAt,
      updatedAt: expect.stringMatching(instant),
      invoice: expect.objectContaining({ id: invoice.id, status: 'OPEN' }),
      subscription: null,
      customer,
    });
    const headers = { 'If-None-Match': answer.headers.get('etag') ?? '' };
    expect((await api.request('GET', `/checkout/${sessionId}`, { headers })).status).toBe(304);
  });

  test.each([unknownId, 'malformed'])('answers 404 for %s', async (id) => {
    const { error } = await api.expect(404, api.get(`/checkout/${id}`));
    expect(error).toBe('Checkout session not found');
  });

  test('shows that the product no longer exists', async () => {
    const other = await make('/products', product);
    const { sessionId, invoice } = await api.expect(201, create({ priceId: other.priceId }));
    await api.expect(
      200,
      api.request('PATCH', `/products/${other.id}`, { body: { active: false } }),
    );
    const session = await api.expect(200, api.get(`/checkout/${sessionId}`));
    expect(session.status).toBe('EXPIRED');
    await api.advanceTo(startsAt);
    expect(await api.expect(200, api.get(`/invoices/${invoice.id}`))).toMatchObject({
      status: 'VOID',
    });
  });
});

test("a session's invoice can be paid and voided on its page only", async () => {
  const { invoice } = await api.expect(201, create());
  await api.expect(409, api.post(`/invoices/${invoice.id}/pay`));
  await api.expect(409, api.post(`/invoices/${invoice.id}/void`));
});

describe('checkout links', () => {
  test('are created and found', async () => {
    const input = {
      label: 'Spring',
      productIds: [sold.id],
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example',
      metadata: { campaign: 'spring' },
    };
    const answer = await api.post('/checkout-links', input);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...input,
      quantity: null,
      collect: [],
      id: expect.stringMatching(uuid),
      organizationId: customer.organizationId,
      active: true,
      discountId: null,
      allowDiscountCodes: false,
      url: expect.stringMatching(new RegExp(`^${system.gatewayUrl}/link/[\\w-]{43}$`)),
      createdAt: startsAt,
      updatedAt: startsAt,
    });
    expect(answer.headers.get('location')).toBe(`/v1/checkout-links/${answer.body.id}`);
    expect(await api.expect(200, api.get(`/checkout-links/${answer.body.id}`))).toEqual(
      answer.body,
    );
  });

  test.each([
    [{ label: undefined }, 'label'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(201) }, 'label'],
    [{ productIds: undefined }, 'productIds'],
    [{ productIds: [] }, 'productIds'],
    [{ productIds: Array.from({ length: 11 }, () => unknownId) }, 'productIds'],
    [{ productIds: [unknownId] }, 'productIds'],
    [{ productIds: ['malformed'] }, 'productIds'],
    [{ successUrl: 'shop.example' }, 'successUrl'],
    [{ returnUrl: 'https://a@shop.example' }, 'returnUrl'],
    [{ discountId: unknownId }, 'discountId'],
  ])('%#: invalid input is refused under its field', async (wrong, field) => {
    const body = { label: 'x', productIds: [sold.id], ...wrong };
    expect(await api.refusedFields('/checkout-links', body)).toEqual([field]);
  });

  test.each([unknownId, 'malformed'])('answer 404 for %s', async (id) => {
    const { error } = await api.expect(404, api.get(`/checkout-links/${id}`));
    expect(error).toBe('Checkout link not found');
    const changed = await api.request('PATCH', `/checkout-links/${id}`, { body: {} });
    expect([changed.status, changed.body]).toEqual([404, { error: 'Checkout link not found' }]);
  });
});

describe('GET /checkout-links', () => {
  test('lists the newest first, filtered by state', async () => {
    const listing = await system.live.manualSandbox(startsAt);
    const { id: productId } = await listing.expect(201, listing.post('/products', product));
    const made = async (more: object): Promise<any> => {
      const body = { label: 'x', productIds: [productId], ...more };
      return listing.expect(201, listing.post('/checkout-links', body));
    };
    const first = await made({ label: 'First' });
    const second = await made({ label: 'Second', active: false });
    const answer = await listing.expect(200, listing.get('/checkout-links'));
    expect(answer).toEqual({ data: [second, first], total: 2, page: 1, perPage: 20 });
    const found = async (query: string) =>
      (await listing.expect(200, listing.get(`/checkout-links?${query}`))).data;
    expect(await found('active=true')).toEqual([first]);
    expect(await found('active=false')).toEqual([second]);
    expect(await found('perPage=1&page=2')).toEqual([first]);
    expect(await found('page=9007199254740991')).toEqual([]);
  });

  test.each([
    ['active=yes', 'active'],
    ['page=0', 'page'],
    ['perPage=101', 'perPage'],
  ])('refuses %s', async (query, field) => {
    const { error } = await api.expect(400, api.get(`/checkout-links?${query}`));
    expect(Object.keys(error)).toEqual([field]);
  });
});

describe('PATCH /checkout-links/:id', () => {
  const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
    api.request('PATCH', `/checkout-links/${id}`, { body, headers });

  const link = (more: object = {}) =>
    api.post('/checkout-links', {
      label: 'Spring',
      productIds: [sold.id],
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example',
      metadata: { a: 1 },
      ...more,
    });

  test.each([
    [{}, {}],
    [{ label: 'Summer' }, { label: 'Summer' }],
    [{ active: false }, { active: false }],
    [{ successUrl: 'https://a.example/{SESSION_ID}' }, {}],
    [{ successUrl: null, returnUrl: null }, {}],
    [{ metadata: { b: 2 } }, {}],
    [{ metadata: null }, { metadata: {} }],
  ])('by %j changes only that field', async (change, changed) => {
    const before = await api.expect(201, link());
    expect(await api.expect(200, patch(before.id, change))).toEqual({
      ...before,
      ...change,
      ...changed,
    });
  });

  test.each([
    [{ label: null }, 'label', 'Required'],
    [{ label: '' }, 'label', 'Must be at least 1 character'],
    [{ label: 'x'.repeat(201) }, 'label', 'Must be at most 200 characters'],
    [{ active: null }, 'active', 'Required'],
    [{ active: 'no' }, 'active', 'Must be true or false'],
    [{ successUrl: '/thanks' }, 'successUrl', 'Must be an absolute http or https URL'],
    [{ returnUrl: 'javascript:alert(1)' }, 'returnUrl', 'Must be an absolute http or https URL'],
    [{ metadata: { nested: {} } }, 'metadata', expect.any(String)],
    [{ productIds: [] }, 'productIds', 'Must have at least 1 element'],
    [{ productIds: null }, 'productIds', 'Required'],
    [{ productIds: ['x'] }, 'productIds', '0: Product not found'],
    [{ discountId: 'x' }, 'discountId', 'Discount is not valid'],
    [{ url: 'https://shop.example' }, 'url', 'Cannot be changed'],
  ])('by %j is refused under %s', async (change, field, message) => {
    const { id } = await api.expect(201, link());
    const { error } = await api.expect(400, patch(id, change));
    expect(error).toEqual({ [field]: [message] });
  });

  test('checks If-Match against the current version', async () => {
    const made = await link();
    const { id } = made.body;
    const headers = { 'If-Match': made.headers.get('etag') ?? '' };
    const first = await patch(id, { label: 'Summer' }, headers);
    const second = await patch(id, { label: 'Autumn' }, headers);
    expect([first.status, second.status]).toEqual([200, 412]);
    const seen = { 'If-None-Match': first.headers.get('etag') ?? '' };
    const again = await api.request('GET', `/checkout-links/${String(id)}`, { headers: seen });
    expect(again.status).toBe(304);
  });

  test('changes once per idempotency key', async () => {
    const { id } = await api.expect(201, link());
    const once = () => patch(id, { label: 'Summer' }, { 'Idempotency-Key': 'one-change' });
    const first = await once();
    await api.expect(200, patch(id, { label: 'Autumn' }));
    const second = await once();
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(second.body).toEqual(first.body);
    expect(await api.expect(200, api.get(`/checkout-links/${String(id)}`))).toMatchObject({
      label: 'Autumn',
    });
  });

  test('closes and opens its page', async () => {
    const { id, url } = await api.expect(201, link());
    const statusOfPage = async () => (await fetch(url)).status;
    const outcomes = [await statusOfPage()];
    for (const active of [false, true]) {
      await api.expect(200, patch(id, { active }));
      outcomes.push(await statusOfPage());
    }
    expect(outcomes).toEqual([200, 410, 200]);
    await api.expect(200, patch(id, { active: false }));
    await api.expect(404, create({ checkoutLinkId: id }));
  });
});

test('notifications of an unknown payment provider are 404', async () => {
  for (const provider of ['unknown', 'constructor']) {
    const url = `${system.gatewayUrl}/provider-events/${provider}`;
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(404);
  }
});
