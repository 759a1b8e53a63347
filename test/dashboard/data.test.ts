import { productVersion } from '@billing/chassis/version';
import { connectPeer } from '@billing/chassis/peer';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { newAddress, OperatorClient } from '../support/operator-client';
import { instant, product, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startMs = 600_000;

let system: TestSystem;
const ownerAddress = newAddress();
let owner: OperatorClient;
let sandbox: OperatorClient;
let live: OperatorClient;
let othersEnvironmentId: string;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, ownerAddress);
  const { body } = await owner.api('GET', '/environments');
  const [liveId, sandboxId] = body.data.map(({ id }: { id: string }) => id);
  [live, sandbox] = [owner.in(liveId), owner.in(sandboxId)];
  othersEnvironmentId = await anotherOrganizationsEnvironment();
}, startMs);

async function anotherOrganizationsEnvironment(): Promise<string> {
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: system.addresses.identity,
    service: 'test',
    withoutTenant: ['ensureOrganization'],
  });
  const made = await identity.ensureOrganization({ name: 'Another' }, testContext());
  identity.close();
  return made.live?.id ?? '';
}

const aDay = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
// Midnight may pass while a test runs.
const sumOf = (days: readonly Record<string, unknown>[], field: string) =>
  days.reduce((sum, one) => sum + Number(one[field]), 0);

test('every service reports its state, and the gateway with them', async () => {
  const names = [
    'gateway',
    'identity',
    'catalog',
    'customer',
    'discount',
    'checkout',
    'subscription',
    'metering',
    'notifier',
  ];
  // A service that is overloaded, or whose stores are, reports in time that its state is unknown.
  await eventually(async () => {
    const { status, body } = await owner.api('GET', '/system');
    expect(status).toBe(200);
    expect(body.services).toEqual(
      names.map((name) =>
        expect.objectContaining({
          name,
          version: productVersion,
          ready: true,
          startedAt: expect.stringMatching(instant),
          eventLoopDelayMs: expect.any(Number),
          memoryBytes: expect.any(Number),
        }),
      ),
    );
    const byName = new Map(body.services.map((one: any) => [one.name, one]));
    expect(byName.get('catalog')).toMatchObject({ outboxAgeSeconds: 0, streamLag: null });
    expect(byName.get('notifier')).toMatchObject({ streamLag: expect.any(Number) });
  });
});

describe('the request log', () => {
  const requests = async (query: string, client = sandbox) => {
    const { status, body } = await client.api('GET', `/requests${query}`);
    expect(status).toBe(200);
    return body;
  };

  test('contains writes and failures with their callers, and no reads and other environments', async () => {
    const headers = { 'X-Request-Id': 'request-log-1' };
    await system.sandbox.request('POST', '/customers', {
      body: { email: 'ada@example.com' },
      headers,
    });
    await system.sandbox.get('/customers?search=secret-in-a-query');
    await system.sandbox.get('/customers/unknown?search=secret-in-a-query');
    await sandbox.v1('POST', '/customers', { email: 'not an address' });
    await system.live.post('/customers', { email: 'live@example.com' });
    const key = { keyPrefix: 'billing_test_', keyLast4: system.sandboxKey.slice(-4) };
    const entry = {
      id: expect.any(String),
      entryId: expect.stringMatching(uuid),
      at: expect.stringMatching(instant),
      durationMs: expect.any(Number),
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
    };
    const expected = {
      data: [
        {
          ...entry,
          method: 'POST',
          path: '/v1/customers',
          status: 400,
          errorCode: 'invalid_request',
          keyPrefix: null,
          keyLast4: null,
          operatorEmail: ownerAddress,
        },
        {
          ...entry,
          ...key,
          method: 'GET',
          path: '/v1/customers/unknown',
          status: 404,
          errorCode: 'customer_not_found',
          operatorEmail: null,
        },
        {
          ...entry,
          ...key,
          id: 'request-log-1',
          method: 'POST',
          path: '/v1/customers',
          status: 201,
          errorCode: null,
          operatorEmail: null,
        },
      ],
      total: 3,
      totalIsMore: false,
      searchedSince: null,
      page: 1,
      perPage: 20,
      dropped: 0,
    };
    await eventually(async () => {
      expect(await requests('')).toEqual(expected);
    });
    await eventually(async () => {
      const ofLive = (await requests('', live)).data;
      expect(ofLive.map(({ keyPrefix }: any) => keyPrefix)).toEqual(['billing_live_']);
    });
  });

  const anyBodies = { requestBody: null, responseBody: expect.anything() };

  test('opens an entry with its query and bodies, from which secrets are removed', async () => {
    const { data } = await requests('?requestId=request-log-1');
    const { status, body } = await sandbox.api('GET', `/requests/${data[0].entryId}`);
    expect([status, body]).toMatchObject([
      200,
      { ...data[0], requestBody: { json: '{"email":"ada@example.com"}', isShortened: false } },
    ]);
    expect(JSON.parse(body.responseBody.json)).toMatchObject({ email: 'ada@example.com' });
    const [read] = (await requests('?method=GET')).data;
    const { body: shownRead } = await sandbox.api('GET', `/requests/${read.entryId}`);
    expect(shownRead).toEqual({ ...read, query: 'search=secret-in-a-query', ...anyBodies });
    const unknown = await live.api('GET', `/requests/${data[0].entryId}`);
    expect([unknown.status, unknown.headers.get('error-code')]).toEqual([404, 'request_not_found']);

    const headers = { 'X-Request-Id': 'request-log-secret' };
    const made = await system.live.request('POST', '/api-keys', { body: { name: 'x' }, headers });
    await eventually(async () => {
      const [entry] = (await requests('?requestId=request-log-secret', live)).data;
      const { body: logged } = await live.api('GET', `/requests/${entry.entryId}`);
      const shown = JSON.parse(logged.responseBody.json);
      expect(shown).toEqual({ ...made.body, key: '[redacted]' });
    });
  });

  test.each([
    ['?method=GET', 1],
    ['?status=4xx', 2],
    ['?path=/v1/customers/', 1],
    ['?requestId=request-log-1', 1],
    ['?requestId=request-log-2', 0],
    ['?page=2&perPage=2', 3],
  ])('narrowed to %s counts %i', async (query, total) => {
    expect((await requests(query)).total).toBe(total);
  });
});

describe('a dashboard report', () => {
  test('on webhooks contains every endpoint and day', async () => {
    const { body: made } = await sandbox.v1('POST', '/webhook-endpoints', {
      url: 'https://example.com/hooks',
    });
    const { status, body } = await sandbox.api('GET', '/reports/webhooks?days=2');
    expect([status, body.data[0]]).toEqual([
      200,
      {
        endpointId: made.id,
        failingSince: null,
        days: [
          { day: aDay, delivered: 0, failed: 0 },
          { day: aDay, delivered: 0, failed: 0 },
        ],
      },
    ]);
  });

  test('on usage and on credits matches the used and granted units', async () => {
    const { body: customer } = await sandbox.v1('POST', '/customers', { email: 'u@example.com' });
    const { body: meter } = await sandbox.v1('POST', '/meters', { name: 'Calls', unit: 'call' });
    const event = { customerId: customer.id, meterId: meter.id, quantity: 2.5 };
    await sandbox.v1('POST', '/events/ingest', { events: [event, event] });
    await sandbox.v1('POST', `/customers/${customer.id}/meter-credits`, {
      meterId: meter.id,
      amount: 100,
    });
    const usage = await sandbox.api('GET', `/reports/usage?meterId=${meter.id}&days=2`);
    expect([usage.status, usage.body]).toEqual([
      200,
      {
        meter: expect.objectContaining({ id: meter.id, name: 'Calls' }),
        days: [
          { day: aDay, value: expect.any(String), events: expect.any(Number) },
          { day: aDay, value: expect.any(String), events: expect.any(Number) },
        ],
        customers: [{ customerId: customer.id, value: '5', events: 2 }],
      },
    ]);
    expect([sumOf(usage.body.days, 'value'), sumOf(usage.body.days, 'events')]).toEqual([5, 2]);
    const credits = await sandbox.api('GET', '/reports/credits?days=2');
    const [found] = credits.body.data;
    expect([credits.status, credits.body.data.length, found]).toEqual([
      200,
      1,
      { meterId: meter.id, meterName: 'Calls', unit: 'call', days: expect.any(Array) },
    ]);
    expect(sumOf(found.days, 'granted')).toBe(100);
    expect(found.days[1]).toMatchObject({ day: aDay, used: '0', expired: '0', balance: '100' });
  });

  test.each(['/reports/webhooks', '/reports/usage', '/reports/credits', '/requests'])(
    'is %s only for an environment of the operator’s organization',
    async (path) => {
      const stranger = owner.in(othersEnvironmentId);
      const { status, body: refused } = await stranger.api('GET', path);
      expect([status, refused]).toEqual([404, { error: 'Environment not found' }]);
      expect((await owner.api('GET', path)).body).toEqual({
        error: { 'Environment-Id': ['Required'] },
      });
      const anonymous = new OperatorClient(system.gatewayUrl, live.environmentId);
      expect((await anonymous.api('GET', path)).status).toBe(401);
    },
  );
});

// Last: the tests above count the calls in the live environment.
test('a live environment without a payment provider is reported with its waiting invoices', async () => {
  const create = (path: string, body: object): Promise<any> =>
    system.live.expect(201, system.live.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'ada@example.com' });
  const { id: productId } = await create('/products', { ...product, currency: 'usd' });
  await create('/subscriptions', { customerId, productId });
  await eventually(async () => {
    for (const operator of [owner, sandbox]) {
      const { status, body } = await operator.api('GET', '/payment-provider');
      expect([status, body]).toEqual([200, { isConfigured: false, waitingInvoices: 1 }]);
    }
    expect(
      (await system.live.get(`/invoices?customerId=${String(customerId)}`)).body.data,
    ).toMatchObject([{ status: 'OPEN', lastPaymentError: { code: 'no_payment_provider' } }]);
  });
});
