import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

/** Creates a sandbox at 1 January, with a subscription to a product for 29.00 EUR per ten days. */
async function subscribed(card: string, customer: object = {}) {
  const api = await system.live.manualSandbox('2026-01-01T00:00:00Z');
  const { id: customerId } = await api.expect(
    201,
    api.post('/customers', { email: 'ada@example.com', currency: 'EUR', ...customer }),
  );
  const price = { ...product, billingInterval: 'DAILY', intervalCount: 10 };
  const { id: productId } = await api.expect(201, api.post('/products', price));
  const authorizedTransactionId = card === '' ? null : `txn_${card}`;
  const { id } = await api.subscribe({ customerId, productId, authorizedTransactionId });
  const path = `/subscriptions/${String(id)}`;
  return {
    api,
    path,
    read: () => api.expect(200, api.get(path)),
    invoices: async () => {
      const { data } = await api.expect(200, api.get(`/invoices?subscriptionId=${String(id)}`));
      return data.map(({ status }: { status: string }) => status).reverse() as string[];
    },
  };
}

describe('a subscription whose card is declined', () => {
  test('ends after the last retry, and its other unpaid invoice becomes uncollectible, too', async () => {
    const { api, read, invoices } = await subscribed('4000000000000002');
    await api.advanceTo('2026-01-14T23:59:00Z');
    expect(await read()).toMatchObject({ status: 'PAST_DUE', entitled: false, cancelReason: null });
    expect(await invoices()).toEqual(['OPEN', 'OPEN']);

    await api.advanceTo('2026-01-16T00:00:00Z');
    const ended = await read();
    expect(ended).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      cancelReason: 'PAYMENT_FAILED',
      canceledAt: '2026-01-15T00:00:00.000Z',
      endedAt: '2026-01-15T00:00:00.000Z',
      nextInvoiceAt: null,
    });
    expect(await invoices()).toEqual(['UNCOLLECTIBLE', 'UNCOLLECTIBLE']);
    await api.advanceTo('2026-03-01T00:00:00Z');
    expect(await read()).toEqual(ended);
    expect(await invoices()).toHaveLength(2);
  });

  test('is ended immediately with its older invoice still owed, and never retried', async () => {
    const { api, path, read, invoices } = await subscribed('4000000000000002');
    await api.advanceTo('2026-01-12T00:00:00Z');
    const ended = await api.complete(() => api.expect(200, api.post(`${path}/cancel`)));
    expect(ended).toMatchObject({ status: 'CANCELED', cancelReason: 'REQUESTED' });
    expect(await invoices()).toEqual(['OPEN', 'VOID']);
    await api.advanceTo('2026-03-01T00:00:00Z');
    expect(await invoices()).toEqual(['OPEN', 'VOID']);
    expect(await read()).toEqual({ ...ended, updatedAt: expect.any(String) });
  });

  test('is active again when a caller voids the unpaid invoice', async () => {
    const { api, read, invoices } = await subscribed('4000000000000002');
    const { latestInvoiceId } = await read();
    await api.expect(200, api.post(`/invoices/${String(latestInvoiceId)}/void`));
    await api.advanceTo('2026-01-02T00:00:00Z');
    expect(await read()).toMatchObject({ status: 'ACTIVE', entitled: true });
    expect(await invoices()).toEqual(['VOID']);
  });
});

test('a subscription with sent invoices is past due after the due date, and continues', async () => {
  const { api, read, invoices } = await subscribed('', { collectionMethod: 'SEND_INVOICE' });
  await api.advanceTo('2026-01-30T23:59:00Z');
  expect(await read()).toMatchObject({ status: 'ACTIVE' });
  await api.advanceTo('2026-02-01T00:00:00Z');
  expect(await read()).toMatchObject({ status: 'PAST_DUE', entitled: true });
  await api.advanceTo('2026-04-01T00:00:00Z');
  expect(await read()).toMatchObject({ status: 'PAST_DUE', cancelReason: null });
  expect(await invoices()).toEqual(Array.from({ length: 10 }, () => 'OPEN'));
});
