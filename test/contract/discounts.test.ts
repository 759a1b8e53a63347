import { newId } from '@billing/chassis/ids';
import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const discount = { name: 'Spring', type: 'PERCENTAGE', value: 12.5, duration: 'FOREVER' };
const fixed = { ...discount, type: 'FIXED', value: 500 };
let system: TestSystem;
let api: ApiClient;
let codes = 0;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

/** Returns a unique code. */
function newCode(): string {
  codes += 1;
  return `Code-${String(codes)}`;
}

async function create(body: object, client: ApiClient = api): Promise<any> {
  return client.expect(201, client.post('/discounts', body));
}

describe('a discount', () => {
  test('is returned with all its fields', async () => {
    const answer = await api.post('/discounts', discount);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/discounts/${String(answer.body.id)}`);
    expect(answer.body).toEqual({
      ...discount,
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      code: null,
      currency: null,
      durationInMonths: null,
      maxRedemptions: null,
      redemptionCount: 0,
      startsAt: null,
      endsAt: null,
      productIds: [],
      active: true,
      metadata: {},
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    const read = await api.get(`/discounts/${String(answer.body.id)}`);
    expect(read.body).toEqual(answer.body);
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  test('is returned with every field it was given', async () => {
    const sold = await api.expect(201, api.post('/products', product));
    const given = {
      name: 'x'.repeat(200),
      code: 'Every_Thing-1',
      type: 'FIXED',
      value: 99_999_999_999,
      currency: 'eur',
      duration: 'REPEATING',
      durationInMonths: 60,
      maxRedemptions: 100_000,
      startsAt: '2026-01-01T01:00:00+01:00',
      endsAt: '2026-01-01T00:00:00.001Z',
      productIds: [sold.id],
      active: false,
      metadata: { campaign: 'a.b' },
    };
    expect(await create(given)).toMatchObject({
      ...given,
      currency: 'EUR',
      startsAt: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([1e-7, 12.345, 100 / 3])(
    'of %d percent is refused for too many decimals',
    async (value) => {
      const answer = api.post('/discounts', { ...discount, value });
      expect(await api.expect(400, answer)).toEqual({
        error: { value: ['Must have at most 2 decimals'] },
      });
    },
  );

  test.each([0.01, 33.33, 99.9, 100])('may be %d percent', async (value) => {
    expect((await create({ ...discount, value })).value).toBe(value);
  });

  test('accepts null as absent', async () => {
    const absent = {
      code: null,
      currency: null,
      durationInMonths: null,
      maxRedemptions: null,
      startsAt: null,
      endsAt: null,
      productIds: null,
      active: null,
      metadata: null,
    };
    expect(await create({ ...discount, ...absent })).toMatchObject({
      ...absent,
      productIds: [],
      active: true,
      metadata: {},
    });
  });

  test.each([
    [{ ...discount, value: 0 }, ['value']],
    [{ ...discount, value: -1 }, ['value']],
    [{ ...discount, value: 100.01 }, ['value']],
    [{ ...discount, value: 12.345 }, ['value']],
    [{ ...discount, value: 1e-7 }, ['value']],
    [{ ...discount, value: '10' }, ['value']],
    [{ ...discount, value: null }, ['value']],
    [{ ...fixed, value: 1.5 }, ['value']],
    [{ ...fixed, value: 0 }, ['value']],
    [{ ...fixed, value: 100_000_000_000 }, ['value']],
    [{ ...fixed, currency: 'XXX' }, ['currency']],
    [{ ...discount, currency: 'USD' }, ['currency']],
    [{ ...discount, duration: 'REPEATING' }, ['durationInMonths']],
    [{ ...discount, duration: 'REPEATING', durationInMonths: 0 }, ['durationInMonths']],
    [{ ...discount, duration: 'REPEATING', durationInMonths: 61 }, ['durationInMonths']],
    [{ ...discount, durationInMonths: 3 }, ['durationInMonths']],
    [{ ...discount, duration: 'ONCE', durationInMonths: 3 }, ['durationInMonths']],
    [{ ...discount, maxRedemptions: 0 }, ['maxRedemptions']],
    [{ ...discount, maxRedemptions: 1.5 }, ['maxRedemptions']],
    [{ ...discount, code: 'ab' }, ['code']],
    [{ ...discount, code: 'x'.repeat(65) }, ['code']],
    [{ ...discount, code: 'has space' }, ['code']],
    [{ ...discount, startsAt: '2026-01-01' }, ['startsAt']],
    [{ ...discount, startsAt: '2026-01-01T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' }, ['endsAt']],
    [{ ...discount, productIds: [unknownId] }, ['productIds']],
    [{ ...discount, productIds: ['nothing'] }, ['productIds']],
    [{ ...discount, productIds: 'nothing' }, ['productIds']],
    [{ ...discount, productIds: Array(51).fill(unknownId) }, ['productIds']],
    [{ ...discount, name: '' }, ['name']],
    [{ ...discount, name: 'x'.repeat(201) }, ['name']],
    [{ ...discount, type: 'percentage' }, ['type']],
    [{ ...discount, active: 'yes' }, ['active']],
    [{ ...discount, metadata: { nested: {} } }, ['metadata']],
    [{}, ['duration', 'name', 'type', 'value']],
  ])('is refused: %j', async (body, fields) => {
    expect(await api.refusedFields('/discounts', body)).toEqual(fields);
  });

  test('names each unknown product', async () => {
    const sold = await api.expect(201, api.post('/products', product));
    const answer = await api.post('/discounts', { ...discount, productIds: [sold.id, unknownId] });
    expect(answer.body).toEqual({ error: { productIds: ['1: Product not found'] } });
  });

  test('with a code taken in any letter case is 409', async () => {
    const code = newCode();
    await create({ ...discount, code });
    const answer = await api.post('/discounts', { ...discount, code: code.toUpperCase() });
    expect([answer.status, answer.headers.get('error-code')]).toEqual([409, 'code_taken']);
    // Another environment has its own codes.
    await create({ ...discount, code }, system.live);
  });

  test.each([unknownId, 'nothing'])('with an unknown id is 404: %s', async (id) => {
    const answer = await api.get(`/discounts/${id}`);
    expect([answer.status, answer.headers.get('error-code')]).toEqual([404, 'discount_not_found']);
    expect(answer.body).toEqual({ error: 'Discount not found' });
  });
});

describe('the list of discounts', () => {
  test('is newest first, and filtered by active and by code in any letter case', async () => {
    const listing = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    const first = await create({ ...discount, code: 'FIRST' }, listing);
    const second = await create({ ...discount, active: false }, listing);
    const found = async (query: string): Promise<string[]> =>
      (await listing.all(`/discounts?${query}`)).map(({ id }) => id as string);
    expect(await found('')).toEqual([second.id, first.id]);
    expect(await found('active=true')).toEqual([first.id]);
    expect(await found('active=false')).toEqual([second.id]);
    expect(await found('code=first')).toEqual([first.id]);
    expect(await found('code=first&active=false')).toEqual([]);
    expect(await found('code=')).toEqual([]);
    expect((await listing.get('/discounts?active=yes')).status).toBe(400);
  });
});

describe('a change of a discount', () => {
  test.each([
    [{}, {}],
    [{ name: 'Summer' }, { name: 'Summer' }],
    [{ active: false }, { active: false }],
    [{ endsAt: '2030-01-01T00:00:00Z' }, { endsAt: '2030-01-01T00:00:00.000Z' }],
    [{ endsAt: null }, { endsAt: null }],
    [{ maxRedemptions: 3 }, { maxRedemptions: 3 }],
    [{ maxRedemptions: 30 }, { maxRedemptions: 30 }],
    [{ maxRedemptions: null }, { maxRedemptions: null }],
    [{ metadata: { b: 2 } }, { metadata: { b: 2 } }],
    [{ metadata: null }, { metadata: {} }],
  ])('by %j gives %j and leaves the rest', async (change, changed) => {
    const before = await create({
      ...discount,
      code: newCode(),
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '2029-01-01T00:00:00Z',
      maxRedemptions: 10,
      metadata: { a: 1 },
    });
    const answer = await api.request('PATCH', `/discounts/${String(before.id)}`, { body: change });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, ...changed, updatedAt: expect.any(String) });
  });

  test.each([
    [{ name: null }, 'name'],
    [{ name: '' }, 'name'],
    [{ active: null }, 'active'],
    [{ maxRedemptions: 0 }, 'maxRedemptions'],
    [{ endsAt: '2025-01-01T00:00:00Z' }, 'endsAt'],
    [{ code: 'OTHER' }, 'code'],
    [{ value: 10 }, 'value'],
    [{ startsAt: null }, 'startsAt'],
    [{ productIds: [] }, 'productIds'],
    [{ redemptionCount: 0 }, 'redemptionCount'],
  ])('by %j is refused under %s', async (change, field) => {
    const { id } = await create({ ...discount, startsAt: '2026-01-01T00:00:00Z' });
    const answer = await api.request('PATCH', `/discounts/${String(id)}`, { body: change });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error)).toEqual([field]);
  });

  test('checks If-Match against the current version', async () => {
    const made = await api.post('/discounts', discount);
    const path = `/discounts/${String(made.body.id)}`;
    const headers = { 'If-Match': made.headers.get('etag') ?? '' };
    const first = await api.request('PATCH', path, { body: { maxRedemptions: 5 }, headers });
    const second = await api.request('PATCH', path, { body: { maxRedemptions: 4 }, headers });
    expect([first.status, second.status]).toEqual([200, 412]);
    const unchanged = await api.request('GET', path, {
      headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
    });
    expect(unchanged.status).toBe(304);
  });
});

describe('the validation of a code', () => {
  const validate = (body: object, client: ApiClient = api) =>
    client.post('/discounts/validate', body);

  async function refusal(body: object, client: ApiClient = api): Promise<string | null> {
    const answer = await validate(body, client);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'Discount not found' });
    return answer.headers.get('error-code');
  }

  test('finds the discount in any letter case of the code', async () => {
    const code = newCode();
    const made = await create({ ...discount, code });
    expect(await api.expect(200, validate({ code: code.toLowerCase() }))).toEqual(made);
  });

  test('reports an unknown code', async () => {
    expect(await refusal({ code: 'unknown' })).toBe('discount_not_found');
    expect(await refusal({ code: '' })).toBe('discount_not_found');
  });

  test('reports an inactive discount', async () => {
    const { code } = await create({ ...discount, code: newCode(), active: false });
    expect(await refusal({ code })).toBe('discount_inactive');
  });

  test('follows the clock of the environment, from the start on and up to the end', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00.000Z');
    const window = { startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-03-01T00:00:00Z' };
    await create({ ...discount, code: 'FEBRUARY', ...window }, sandbox);
    const outcomes = [];
    for (const instantOfTry of [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00.000Z',
    ]) {
      await sandbox.advanceTo(instantOfTry);
      const answer = await validate({ code: 'february' }, sandbox);
      outcomes.push(answer.headers.get('error-code') ?? answer.status);
    }
    expect(outcomes).toEqual(['discount_not_started', 200, 200, 'discount_expired']);
  });

  test('reports a product that the discount does not apply to', async () => {
    const [sold, other] = await Promise.all([
      api.expect(201, api.post('/products', product)),
      api.expect(201, api.post('/products', product)),
    ]);
    const { code } = await create({ ...discount, code: newCode(), productIds: [sold.id] });
    await api.expect(200, validate({ code, productId: sold.id }));
    await api.expect(200, validate({ code }));
    for (const productId of [other.id, unknownId, 'nothing']) {
      expect(await refusal({ code, productId })).toBe('discount_wrong_product');
    }
  });

  test('reports a product in another currency', async () => {
    const sold = await api.expect(201, api.post('/products', product));
    const { code } = await create({ ...fixed, code: newCode(), currency: 'USD' });
    expect(await refusal({ code, productId: sold.id })).toBe('discount_wrong_currency');
    const { code: right } = await create({ ...fixed, code: newCode(), currency: 'EUR' });
    await api.expect(200, validate({ code: right, productId: sold.id }));
    const { code: any } = await create({ ...fixed, code: newCode() });
    await api.expect(200, validate({ code: any, productId: sold.id }));
  });

  test('is refused without a code', async () => {
    expect(await api.refusedFields('/discounts/validate', {})).toEqual(['code']);
  });
});

describe('redemptions', () => {
  const refused = { error: { discountId: ['Discount is not valid'] } };

  async function subscribe(discountId: unknown, currency = 'EUR') {
    const [sold, customer] = await Promise.all([
      api.expect(201, api.post('/products', { ...product, currency })),
      api.expect(201, api.post('/customers', { email: 'a@example.com' })),
    ]);
    const body = { customerId: customer.id, productId: sold.id, discountId };
    const key = { 'Idempotency-Key': newId() };
    return new PersistentClient(api).answer(() => api.post('/subscriptions', body, key));
  }

  test('are counted, used up, and bound the maximum from below', async () => {
    const code = newCode();
    const made = await api.post('/discounts', { ...discount, code, maxRedemptions: 2 });
    const path = `/discounts/${String(made.body.id)}`;
    const patch = (body: object, headers = {}) => api.request('PATCH', path, { body, headers });
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => subscribe(made.body.id)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400]);
    for (const { status, body } of outcomes) if (status === 400) expect(body).toEqual(refused);

    const read = await api.get(path);
    expect(read.body).toMatchObject({ maxRedemptions: 2, redemptionCount: 2 });
    expect(read.headers.get('etag')).not.toBe(made.headers.get('etag'));
    const validation = await api.post('/discounts/validate', { code });
    expect(validation.headers.get('error-code')).toBe('discount_exhausted');

    const lowered = await patch({ maxRedemptions: 1 });
    expect([lowered.status, lowered.headers.get('error-code')]).toEqual([409, 'conflict']);
    // A redemption does not invalidate the version of a caller who changes the discount.
    const raised = await patch(
      { maxRedemptions: 3 },
      { 'If-Match': made.headers.get('etag') ?? '' },
    );
    expect(raised.body).toMatchObject({ maxRedemptions: 3, redemptionCount: 2 });
    await api.expect(200, api.post('/discounts/validate', { code }));
  });

  test.each([
    ['unknown', unknownId],
    ['malformed', 'nothing'],
  ])('of a discount that is %s are refused', async (_case, discountId) => {
    const answer = await subscribe(discountId);
    expect([answer.status, answer.body]).toEqual([400, refused]);
  });

  test('in another currency are refused', async () => {
    const { id } = await create({ ...fixed, currency: 'USD' });
    const answer = await subscribe(id);
    expect([answer.status, answer.body]).toEqual([400, refused]);
    expect((await subscribe(id, 'USD')).status).toBe(201);
  });
});
