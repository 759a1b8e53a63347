import type { ApiClient } from './api-client';
import { instant, uuid } from './patterns';
import { startTestSystem, type TestSystem } from './test-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await startTestSystem();
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
});

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
    expect(await api.refusedFields('/customers', body)).toEqual(fields);
  });

  test('has exactly these words for a bad address', async () => {
    const answer = await api.post('/customers', { email: 'nobody' });
    expect(answer.body).toEqual({ error: { email: ['Invalid email'] } });
    expect(answer.headers.get('error-code')).toBe('invalid_request');
  });
});
