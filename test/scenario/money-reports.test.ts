import { type Document, MongoClient, type UpdateFilter } from 'mongodb';
import { eventually } from '@billing/chassis/testing';
import { isSame, recount } from '../recount/recount';
import { ApiClient } from '../support/api-client';
import { newAddress, OperatorClient } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

// One history: taxed invoices, payments from elsewhere, credits, refunds, a dispute and a void.

let system: TestSystem;
let api: ApiClient;
let operator: OperatorClient;

const post = (path: string, body: object) => api.expect(201, api.post(path, body));

beforeAll(async () => {
  system = await joinTestSystem();
  const input = { name: 'money', clock: 'MANUAL', startsAt: '2026-01-31T00:00:00.000Z' };
  const sandbox = await system.live.expect(201, system.live.post('/sandboxes', input));
  api = new ApiClient(system.gatewayUrl, sandbox.key as string);
  operator = (await OperatorClient.owner(system, newAddress())).in(sandbox.id as string);
  const tax = { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] };
  const body = { legalName: 'Acme Ltd', address: { country: 'DE' }, tax };
  await api.expect(200, api.request('PATCH', '/seller', { body }));
  await makeHistory();
});

async function customer(fields: object): Promise<string> {
  return String((await post('/customers', { email: 'ada@example.com', ...fields })).id);
}

async function invoice(customerId: string, amount: number): Promise<string> {
  const body = { customerId, collectionMethod: 'SEND_INVOICE', finalize: true };
  const lines = [{ description: 'Setup', amount }];
  return String((await post('/invoices', { ...body, lines })).id);
}

async function makeHistory(): Promise<void> {
  const german = await customer({ currency: 'EUR', address: { country: 'DE' } });
  const french = await customer({ currency: 'USD', address: { country: 'FR' } });
  const paid = await invoice(german, 2900);
  const voided = await invoice(french, 2900);
  const reduced = await invoice(french, 1000);
  for (const amount of [2000, 2000]) {
    await post(`/invoices/${paid}/payments`, { amount, method: 'BANK_TRANSFER' });
  }
  const product = { name: 'Pro', type: 'FLAT', currency: 'USD', billingInterval: 'MONTHLY' };
  const { id: productId } = await post('/products', { ...product, amount: 1900 });
  // Each of its charges is disputed a day later, and lost 30 days after that.
  const disputed = { authorizedTransactionId: 'txn_4000000000000259' };
  await post('/subscriptions', { customerId: french, productId, ...disputed });
  const good = await customer({ currency: 'USD', address: { country: 'CH' } });
  const charged = { authorizedTransactionId: 'txn_4242424242424242' };
  const { id } = await post('/subscriptions', { customerId: good, productId, ...charged });
  await api.advanceTo('2026-02-10T00:00:00.000Z');
  await api.expect(200, api.post(`/invoices/${voided}/void`, {}));
  await post('/credit-notes', { invoiceId: reduced, amount: 500, reason: 'GOODWILL' });
  const [first] = await api.all(`/invoices?subscriptionId=${String(id)}`);
  const returned = { invoiceId: first.id as string, amount: 900, settle: 'REFUND' };
  await post('/credit-notes', { ...returned, reason: 'SERVICE' });
  // The next invoice takes the balance of the over-payment.
  await invoice(german, 5000);
  await api.advanceTo('2026-03-04T00:00:00.000Z');
  await eventually(async () => {
    expect(await api.all('/disputes')).toContainEqual(expect.objectContaining({ status: 'LOST' }));
  });
}

/** Paths of the reports that differ from their recount. */
async function differences(): Promise<string[]> {
  const reports = await recount({ client: api, operator });
  return reports.filter((report) => !isSame(report)).map(({ path }) => path);
}

test('the reports on money and the balances equal a recount of single documents', async () => {
  const reports = await recount({ client: api, operator });
  for (const { path, shown, counted } of reports) {
    expect({ path, ...shown }).toEqual({ path, ...counted });
  }
  const shownAt = (path: string) => reports.find((one) => one.path.startsWith(path))?.shown;
  const { data } = shownAt('/reports/payments');
  const sumOf = (name: string) =>
    data
      .flatMap(({ months }: any) => months)
      .reduce((sum: number, month: any) => sum + Number(month[name]), 0);
  const seen = ['invoiced', 'tax', 'voided', 'credited', 'collected', 'external', 'refunded'];
  for (const name of [...seen, 'disputesLost', 'balanceIn', 'balanceOut']) {
    expect([name, sumOf(name) > 0]).toEqual([name, true]);
  }
  expect(shownAt('/tax-report').data.length).toBeGreaterThan(1);
});

describe('a recount finds', () => {
  test('a report that misses an invoice', async () => {
    const [paid] = await api.all('/invoices?status=PAID');
    const undo = await damage('invoices', String(paid.id), { $set: { movedMonth: '' } });
    const missing = await differences();
    await undo();
    expect(missing).toEqual([
      expect.stringMatching('/reports/payments'),
      expect.stringMatching('/tax-report'),
    ]);
    expect(await differences()).toEqual([]);
  });

  test('a balance that is not the sum of its entries', async () => {
    const entries = await api.all('/balance-entries');
    const undo = await damage('balanceEntries', String(entries[0].id), { $inc: { amount: 1n } });
    const wrong = await differences();
    await undo();
    expect(wrong).toContain('/balances');
    expect(await differences()).toEqual([]);
  });
});

/** Changes a stored document as no release does; returns its repair. */
async function damage(
  collection: string,
  id: string,
  update: UpdateFilter<Document>,
): Promise<() => Promise<void>> {
  const before = await withCollection(collection, async (documents) => {
    const found = await documents.findOneAndUpdate({ _id: id }, update);
    if (found === null) throw new Error(`No ${collection} ${id}`);
    return found;
  });
  return () =>
    withCollection(collection, async (documents) => {
      await documents.replaceOne({ _id: id }, before);
    });
}

async function withCollection<T>(
  name: string,
  use: (documents: ReturnType<typeof collectionOf>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(system.databases.uri, { useBigInt64: true });
  try {
    return await use(collectionOf(client, name));
  } finally {
    await client.close();
  }
}

function collectionOf(client: MongoClient, name: string) {
  const database = `${system.databases.prefix}_checkout`;
  return client.db(database).collection<{ _id: string } & Document>(name);
}
