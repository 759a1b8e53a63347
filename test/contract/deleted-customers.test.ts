import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;
let productId: string;

const person = {
  email: 'ada@example.com',
  externalId: 'u-17',
  name: 'Ada Lovelace',
  currency: 'EUR',
  metadata: { team: 'blue' },
};

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  ({ id: productId } = await api.expect(201, api.post('/products', product)));
});

const create = (path: string, body: object) => api.expect(201, api.post(path, body));
const remove = (id: string) => api.delete(`/customers/${id}`);
const newCustomer = async (fields: object = {}): Promise<string> =>
  (await create('/customers', { email: 'a@example.com', currency: 'EUR', ...fields })).id;
const refused = (what: string) => ({
  status: 409,
  body: { error: `Customer has ${what}` },
});
const lines = [{ description: 'Work', amount: 1000 }];

async function boughtBy(customerId: string) {
  const authorizedTransactionId = `txn_4242424242424242_${customerId}`;
  const metadata = { note: 'personal' };
  return api.subscribe({ customerId, productId, authorizedTransactionId, metadata });
}

describe('a customer is not deleted', () => {
  test('with an active subscription', async () => {
    const id = await newCustomer();
    await boughtBy(id);
    expect(await remove(id)).toMatchObject(refused('an active subscription'));
  });

  test('with an open checkout session', async () => {
    const id = await newCustomer();
    await create('/checkout', { customerId: id, productId });
    expect(await remove(id)).toMatchObject(refused('an open checkout session'));
  });

  test.each([true, false])('with an open invoice, finalized: %s', async (finalize) => {
    const id = await newCustomer();
    await create('/invoices', {
      ...{ customerId: id, lines, finalize },
      collectionMethod: 'SEND_INVOICE',
    });
    expect(await remove(id)).toMatchObject(refused('an open invoice'));
  });

  test('with a balance', async () => {
    const id = await newCustomer();
    await create('/balance-entries', { customerId: id, amount: 5, description: 'Gift' });
    expect(await remove(id)).toMatchObject(refused('a balance'));
  });
});

describe('a deleted customer', () => {
  let id: string;
  let subscriptionId: string;
  let invoiceId: string;

  beforeAll(async () => {
    id = await newCustomer(person);
    const subscription = await boughtBy(id);
    subscriptionId = subscription.id;
    invoiceId = subscription.latestInvoiceId;
    await create('/portal/sessions', { customerId: id });
    await api.expect(
      200,
      api.post(`/subscriptions/${subscriptionId}/cancel`, { atPeriodEnd: false }),
    );
    await api.expect(204, remove(id));
  });

  test('is unknown under the id', async () => {
    const notFound = { status: 404, body: { error: 'Customer not found' } };
    expect(await remove(id)).toMatchObject(notFound);
    expect(await api.get(`/customers/${id}`)).toMatchObject(notFound);
    const name = { body: { name: 'x' } };
    expect(await api.request('PATCH', `/customers/${id}`, name)).toMatchObject(notFound);
    expect(await api.post('/subscriptions', { customerId: id, productId })).toMatchObject(notFound);
    expect(await api.post('/checkout', { customerId: id, productId })).toMatchObject(notFound);
    expect(await api.post('/invoices', { customerId: id, lines })).toMatchObject(notFound);
    expect(await api.post('/portal/sessions', { customerId: id })).toMatchObject(notFound);
    expect(await api.get(`/customers/${id}/state`)).toMatchObject(notFound);
  });

  test('is in no list', async () => {
    const { data } = await api.expect(200, api.get(`/customers?ids=${id}`));
    expect(data).toEqual([]);
    const all = await api.expect(200, api.get('/customers?perPage=100'));
    expect(all.data).toHaveLength(all.total);
    expect(all.data.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('frees the external id', async () => {
    await newCustomer({ externalId: person.externalId });
  });

  test('is shown by its subscriptions and invoices without its data', async () => {
    await eventually(async () => {
      const shown = await api.expect(200, api.get(`/subscriptions/${subscriptionId}`));
      expect(shown.customer.email).toBeNull();
      expect(shown.metadata).toEqual({});
    });
    const shown = await api.expect(200, api.get(`/subscriptions?customerId=${id}`));
    expect(shown.data).toMatchObject([{ customer: { id, email: null, name: null } }]);
    expect(shown.data[0].metadata).toEqual({});
    await eventually(async () => {
      const { buyer } = await api.expect(200, api.get(`/invoices/${invoiceId}`));
      expect(buyer).toMatchObject({ name: person.name, email: person.email });
    });
  });

  test('gets no credit to a balance, but one elsewhere', async () => {
    const note = { invoiceId, amount: 100, reason: 'GOODWILL' };
    expect(await api.post('/credit-notes', note)).toMatchObject({
      status: 409,
      body: { error: 'Customer is deleted' },
    });
    await create('/credit-notes', { ...note, settle: 'EXTERNAL' });
  });

  test('is announced once', async () => {
    await eventually(async () => {
      const { data } = await api.expect(200, api.get('/webhook-events?types=customer.deleted'));
      expect(data).toMatchObject([
        {
          subject: { type: 'customer', id },
          event: { customerId: id, data: { customerId: id, customer: null } },
        },
      ]);
    });
  });
});
