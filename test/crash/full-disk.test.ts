import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { openSmallDisk, type SmallDisk } from './small-disk';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const writerCount = 4;
const writesMin = 20;
const pauseMs = 500;

let disk: SmallDisk;
let system: OwnTestSystem;
let api: ApiClient;

beforeAll(async () => {
  disk = await openSmallDisk();
  system = await startTestSystem({ processes: true, disk });
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
  await disk.close();
});

/** Creates customers until it is stopped. */
class Writers {
  created = 0;
  readonly refusals: Answer[] = [];
  private isStopped = false;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.ended = Promise.all(Array.from({ length: writerCount }, (_, n) => this.write(n)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.ended;
  }

  private async write(writer: number): Promise<void> {
    for (let n = 1; !this.isStopped; n += 1) {
      const email = `c${String(n)}-of-${String(writer)}@example.com`;
      const answer = await api.post('/customers', { email });
      if (answer.status === 201) {
        this.created += 1;
      } else {
        this.refusals.push(answer);
        await sleep(pauseMs);
      }
    }
  }
}

const refusal = ({ status, headers, body }: Answer) => [
  status,
  headers.get('error-code'),
  headers.get('retry-after'),
  body,
];

/** Addresses of the resources whose creation was answered with 201. */
const acknowledged = (path: RegExp) => [...api.acknowledged.keys()].filter((one) => path.test(one));

const storageFull = [503, 'storage_full', '10', { error: 'Service unavailable' }];

test('a full disk refuses writes and nothing else, and writes return with the space', async () => {
  const { id: productId } = await api.expect(201, api.post('/products', product));
  const { id: customerId } = await api.expect(
    201,
    api.post('/customers', { email: 'a@b.example' }),
  );
  const { id: meterId } = await api.expect(201, api.post('/meters', { name: 'Calls' }));
  const purchase = { customerId, productId };
  const paid = { ...purchase, authorizedTransactionId: 'txn_4242424242424242' };
  const { id: subscriptionId } = await api.expect(201, api.post('/subscriptions', paid));
  const link = { label: 'Plans', productIds: [productId] };
  const { url } = await api.expect(201, api.post('/checkout-links', link));
  const events = [{ customerId, meterId }];
  const pids = system.pids();
  const writers = new Writers();
  const writesAgain = async () => {
    const before = writers.created;
    await eventually(() => {
      expect(writers.created).toBeGreaterThan(before + writesMin);
    });
  };

  await writesAgain();
  await disk.fill();
  const refused: [string, string, unknown][] = [
    ['POST', '/customers', { email: 'b@b.example' }],
    ['PATCH', `/customers/${String(customerId)}`, { name: 'Ada' }],
    ['POST', '/products', product],
    ['POST', '/subscriptions', paid],
    ['POST', `/subscriptions/${String(subscriptionId)}/cancel`, { atPeriodEnd: true }],
    ['POST', '/discounts', { name: 'Ten', type: 'PERCENTAGE', value: 10, duration: 'ONCE' }],
    ['POST', '/events/ingest', { events }],
    ['POST', '/webhook-endpoints', { url: 'https://example.com/hook' }],
    ['POST', '/api-keys', { name: 'Key' }],
  ];
  for (const [method, path, body] of refused) {
    // Each service checks the disk separately.
    await eventually(async () => {
      expect([path, refusal(await api.request(method, path, { body }))]).toEqual([
        path,
        storageFull,
      ]);
    });
  }
  await eventually(async () => {
    expect(refusal(await api.post('/checkout', purchase))).toEqual([
      500,
      'internal',
      '10',
      { error: 'Internal server error' },
    ]);
  });
  const customersBefore = acknowledged(/^\/customers\//);
  for (const path of [
    ...['/customers', '/products', '/subscriptions', '/invoices', '/meters', '/discounts'],
    ...['/webhook-endpoints', '/api-keys', `/customers/${String(customerId)}/state`],
    ...customersBefore.slice(0, writesMin),
  ]) {
    expect([path, (await api.get(path)).status]).toEqual([path, 200]);
  }
  for (const path of [new URL(url as string).pathname, '/dashboard', '/healthz', '/readyz']) {
    // A busy machine may let a single probe time out.
    await eventually(
      async () => {
        const { status } = await fetch(`${system.gatewayUrl}${path}`);
        expect([path, status]).toEqual([path, 200]);
      },
      { timeoutMs: 20_000 },
    );
  }

  await disk.empty();
  await writesAgain();
  await writers.stop();
  await eventually(async () => {
    expect((await api.post('/checkout', purchase)).status).toBe(201);
    expect((await api.post('/events/ingest', { events })).status).toBe(201);
  });
  expect(system.pids()).toEqual(pids);
  const codes = new Set(writers.refusals.map(({ headers }) => headers.get('error-code')));
  expect(codes).toContain('storage_full');
  // A slow machine also refuses before it begins.
  expect(
    [...codes].filter((code) => !['storage_full', 'unavailable'].includes(code ?? '')),
  ).toEqual([]);
  const stored = (await api.all('/customers')).map(({ id }) => `/customers/${String(id)}`);
  expect(stored.toSorted()).toEqual(acknowledged(/^\/customers\//).toSorted());
  const others = acknowledged(/^\/(products|subscriptions|checkout|webhook-endpoints)\//);
  for (const path of others) expect([path, (await api.get(path)).status]).toEqual([path, 200]);
});
