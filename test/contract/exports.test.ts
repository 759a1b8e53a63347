import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { parse } from 'csv-parse/sync';
import { fromBufferPromise } from 'yauzl';
import { eventually } from '@billing/chassis/testing';
import { causeEveryKind } from '../support/every-kind';
import type { ApiClient } from '../support/api-client';
import { contentDigest, exportedRows, readExport } from '../support/export/export-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const start = '2026-01-31T00:00:00.000Z';

let system: TestSystem;
let api: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(start);
  stranger = await system.live.manualSandbox(start);
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const customer = await create('/customers', {
    email: 'formula@example.com',
    name: '=HYPERLINK("https://example.com")',
    metadata: { note: 'a, "b"\n' },
  });
  const meter = await create('/meters', { name: 'Requests' });
  const metered = { customerId: customer.id, meterId: meter.id };
  const events = [1, 2, 3].map((quantity) => ({ ...metered, quantity, properties: { quantity } }));
  await create('/events/ingest', { events });
  for (const amount of [1, 2]) {
    const path = `/customers/${String(customer.id)}/meter-credits`;
    await create(path, { meterId: meter.id, amount });
  }
  await create('/balance-entries', { customerId: customer.id, amount: 5, description: '-5' });
  const sold = await create('/products', product);
  const subscription = await create('/subscriptions', {
    customerId: customer.id,
    productId: sold.id,
    authorizedTransactionId: 'txn_exports',
  });
  const changes = `/subscriptions/${String(subscription.id)}/changes`;
  await create(changes, { quantity: 2, at: 'PERIOD_END' });
  await causeEveryKind(api, system);
});

const all = (path: string) => api.all(path);
const ofEach = async (owners: any[], path: (owner: any) => string) =>
  (await Promise.all(owners.map((owner) => api.all(path(owner))))).flat();

/** The rows of each resource as its own routes show them, in any order. */
const shown: Readonly<Record<string, () => Promise<any[]>>> = {
  customers: () => all('/customers'),
  products: () => all('/products'),
  'meter-prices': async () => (await all('/products')).flatMap(({ meterPrices }) => meterPrices),
  discounts: () => all('/discounts'),
  'checkout-links': () => all('/checkout-links'),
  'checkout-sessions': async () => {
    const { rows } = await exportedRows(api, 'checkout-sessions');
    const read = ({ id }: any) => api.expect(200, api.get(`/checkout/${String(id)}`));
    return Promise.all(rows.map(read));
  },
  subscriptions: () => all('/subscriptions'),
  changes: async () =>
    ofEach(await all('/subscriptions'), ({ id }) => `/subscriptions/${String(id)}/changes`),
  invoices: () => all('/invoices'),
  'invoice-lines': async () => (await all('/invoices')).flatMap(({ lineItems }) => lineItems),
  payments: async () => (await all('/invoices')).flatMap(({ payments }) => payments),
  'credit-notes': () => all('/credit-notes'),
  refunds: () => all('/refunds'),
  disputes: () => all('/disputes'),
  'balance-entries': () => all('/balance-entries'),
  meters: () => api.expect(200, api.get('/meters')),
  'usage-events': () => all('/events'),
  'meter-credits': async () =>
    ofEach(await all('/customers'), ({ id }) => `/customers/${String(id)}/meter-credits`),
  'webhook-events': async () => (await api.expect(200, api.get('/webhook-events?limit=1000'))).data,
  // With their content, which the list leaves out.
  emails: async () => {
    const read = ({ id }: any) => api.expect(200, api.get(`/emails/${String(id)}`));
    return Promise.all((await all('/emails')).map(read));
  },
};
const resources = Object.keys(shown);
// Resources in the order of the invoices, subscriptions or accounts that have them.
const ofOwners = ['invoice-lines', 'payments', 'changes', 'meter-credits', 'webhook-events'];
const timeOf = (row: any): string => row.timestamp ?? row.createdAt;
const byKey = (rows: any[]) =>
  [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe.each(resources)('an export of %s', (resource) => {
  test('has every object as the API shows it, oldest first', async () => {
    const { rows, position, endPosition } = await exportedRows(api, resource);
    expect(byKey(rows)).toEqual(byKey(await shown[resource]!()));
    expect(rows.length).toBeGreaterThan(0);
    expect(position).toBeGreaterThan(0);
    expect(endPosition).toBeGreaterThanOrEqual(position);
    if (ofOwners.includes(resource)) return;
    const times = rows.map(timeOf);
    expect(times).toEqual([...times].sort());
  });

  test('has the same rows in CSV', async () => {
    const { rows } = await exportedRows(api, resource);
    const { headers, trailers, body } = await readExport(api, `${resource}.csv`);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe(`attachment; filename="${resource}.csv"`);
    expect(trailers['content-digest']).toBe(contentDigest(body));
    expect(trailers['export-rows']).toBe(String(rows.length));
    const records: string[][] = parse(body, { record_delimiter: '\r\n' });
    const fields = Object.keys(rows[0]);
    expect(records).toEqual([
      fields,
      ...rows.map((row) => fields.map((field) => cellOf(row[field]))),
    ]);
  });

  test('of another environment has none of it', async () => {
    const { rows } = await exportedRows(stranger, resource);
    expect(rows).toEqual([]);
  });
});

function cellOf(value: unknown): string {
  if (value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return '=+-@\t\r'.includes(value.charAt(0)) && value !== '' ? `'${value}` : value;
}

test('an export has the rows from a time up to another one', async () => {
  const { rows } = await exportedRows(api, 'invoices');
  const [from, to] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const inRange = rows.filter(({ createdAt }) => createdAt >= from && createdAt < to);
  const { rows: found } = await exportedRows(api, 'invoices', `?from=${from}&to=${to}`);
  expect(found).toEqual(inRange);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(rows.length);
});

describe('an archive', () => {
  test.each(['NDJSON', 'CSV'])('has files and a manifest of them in %s', async (format) => {
    const { status, headers, body, isComplete } = await readExport(api, `all.zip?format=${format}`);
    expect({ status, isComplete, type: headers['content-type'] }).toEqual({
      status: 200,
      isComplete: true,
      type: 'application/zip',
    });
    const entries = await unzip(body);
    const extension = format.toLowerCase();
    expect([...entries.keys()]).toEqual([
      ...resources.map((resource) => `${resource}.${extension}`),
      'manifest.json',
    ]);
    const manifest = JSON.parse(entries.get('manifest.json')!.toString());
    expect(Object.keys(manifest)).toEqual([
      ...['organizationId', 'environmentId', 'startedAt', 'finishedAt'],
      ...['position', 'endPosition', 'format', 'files'],
    ]);
    expect(manifest).toMatchObject({ position: headers['export-position'], format });
    for (const [index, resource] of resources.entries()) {
      const name = `${resource}.${extension}`;
      const file = entries.get(name)!;
      const single = await readExport(api, name);
      expect(file.equals(single.body)).toBe(true);
      expect(manifest.files[index]).toEqual({
        name,
        resource,
        rows: Number(single.trailers['export-rows']),
        bytes: file.length,
        sha256: createHash('sha256').update(file).digest('hex'),
      });
    }
  });

  test('has the named resources only', async () => {
    const { body } = await readExport(api, 'all.zip?resources=meters,customers');
    const names = ['customers.ndjson', 'meters.ndjson', 'manifest.json'];
    expect([...(await unzip(body)).keys()]).toEqual(names);
  });
});

async function unzip(body: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(body);
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

test('at most two exports of an environment run at a time', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => readExport(api, 'all.zip')));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(7);
  for (const { status, headers, body } of refused) {
    expect({ status, retryAfter: headers['retry-after'], body: String(body) }).toEqual({
      status: 429,
      retryAfter: '30',
      body: '{"error":"Too many requests"}',
    });
  }
});

test('an export ends when its reader leaves', async () => {
  const headers = { Authorization: `Bearer ${api.key ?? ''}` };
  for (let left = 4; left > 0; left -= 1) {
    await new Promise((resolve) => {
      const request = get(`${system.gatewayUrl}/v1/exports/all.zip`, { headers, agent: false });
      request.on('response', (response) => {
        response.once('error', () => undefined);
        response.once('data', () => request.destroy());
      });
      request.on('error', () => undefined);
      request.on('close', resolve);
    });
  }
  await eventually(async () => {
    expect((await readExport(api, 'all.zip')).status).toBe(200);
  });
});

describe('exports refuse', () => {
  test.each([
    ['nothing.ndjson', 404, { error: 'Not found' }],
    ['customers.xml', 404, { error: 'Not found' }],
    ['all.zip?resources=customers,x', 400, { error: { resources: ['Unknown resource: x'] } }],
    ['customers.csv?from=yesterday', 400, { error: { from: ['Invalid datetime'] } }],
  ])('%s with %d', async (path, status, body) => {
    const answer = await readExport(api, path);
    expect({ status: answer.status, body: JSON.parse(answer.body.toString()) }).toEqual({
      status,
      body,
    });
  });
});

describe('a key', () => {
  const scopeOf: Readonly<Record<string, string>> = {
    'meter-prices': 'products',
    'checkout-sessions': 'checkout',
    changes: 'subscriptions',
    'invoice-lines': 'invoices',
    payments: 'invoices',
    'usage-events': 'events',
    'meter-credits': 'customers',
  };
  const clientWith = async (scopes: string[]) => {
    const { key } = await api.expect(201, api.post('/api-keys', { name: 'x', scopes }));
    return { gatewayUrl: system.gatewayUrl, key: key as string };
  };

  test('needs exports:read and the scope of the resource', async () => {
    const everyScope = resources.map((one) => `${scopeOf[one] ?? one}:read`);
    const wrong: string[] = [];
    for (const resource of resources) {
      const scope = `${scopeOf[resource] ?? resource}:read`;
      const others = [...new Set(everyScope.filter((one) => one !== scope)), 'exports:read'];
      const keys = [
        { client: await clientWith(['exports:read', scope]), status: 200 },
        { client: await clientWith(others), status: 403 },
      ];
      for (const { client, status } of keys) {
        for (const path of [`${resource}.csv`, `all.zip?resources=${resource}`]) {
          const answer = await readExport(client, path);
          if (answer.status !== status) wrong.push(`${path}: ${String(answer.status)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    const withoutExports = await clientWith([...new Set(everyScope)]);
    expect((await readExport(withoutExports, 'customers.csv')).status).toBe(403);
  });

  test('exports by default all that it may read', async () => {
    const client = await clientWith(['exports:read', 'customers:read']);
    const { body } = await readExport(client, 'all.zip');
    const names = ['customers.ndjson', 'meter-credits.ndjson', 'manifest.json'];
    expect([...(await unzip(body)).keys()]).toEqual(names);
  });
});
