import { connectPeer } from '@billing/chassis/peer';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import type { ApiClient } from '../support/api-client';
import { type RawAnswer, RawConnection } from './raw-http';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const inFlightMax = 12;
const perOrganizationMax = 10;
const perKeyMax = 8;

let system: OwnTestSystem;
let other: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  system = await startTestSystem({
    ownProcess: true,
    gateway: {
      HTTP_IN_FLIGHT_MAX: String(inFlightMax),
      HTTP_IN_FLIGHT_PER_ORGANIZATION_MAX: String(perOrganizationMax),
      HTTP_IN_FLIGHT_PER_KEY_MAX: String(perKeyMax),
    },
  });
  other = system.sandbox;
  stranger = system.client(await anotherOrganizationsKey());
  // Reads the API document, which takes long, before requests are held.
  for (const client of [system.live, other, stranger]) {
    await client.expect(200, client.get('/customers'));
  }
});

afterAll(async () => {
  await system.stop();
});

async function anotherOrganizationsKey(): Promise<string> {
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: system.addresses.identity,
    service: 'test',
    withoutTenant: ['ensureOrganization'],
  });
  const { live } = await identity.ensureOrganization({ name: 'Another' }, testContext());
  const { organizationId = '', id: environmentId = '' } = live ?? {};
  const input = { name: 'Key', scopes: [], expiresAt: undefined, createdBy: undefined };
  const tenant = { organizationId, environmentId, live: true };
  const { key } = await identity.createApiKey(input, testContext({ tenant }));
  identity.close();
  return key;
}

const page = `/checkout/${'x'.repeat(43)}`;
const customer = JSON.stringify({ email: 'a@example.com' });

/**
 * Requests in flight, because their last byte is not sent yet. One above the limit is answered
 * immediately.
 */
class HeldRequests {
  private constructor(private readonly connections: readonly RawConnection[]) {}

  static async open(heads: readonly string[], body: string): Promise<HeldRequests> {
    const connections = await Promise.all(heads.map(() => RawConnection.open(system.gatewayUrl)));
    for (const [index, head] of heads.entries()) {
      connections[index]?.send(`${head}Content-Length: ${String(body.length)}\r\n\r\n`);
      connections[index]?.send(body.slice(0, -1));
    }
    return new HeldRequests(connections);
  }

  /** The response to the request above the limit. */
  firstAnswer(): Promise<RawAnswer> {
    return Promise.race(this.connections.map((one) => one.answer()));
  }

  /** Completes all requests; returns their statuses. */
  async finish(): Promise<number[]> {
    for (const connection of this.connections) connection.send(customer.slice(-1));
    const answers = await Promise.all(this.connections.map((one) => one.answer()));
    return answers.flatMap(({ statuses }) => statuses).sort();
  }
}

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

function creationWith(key: string | undefined): string {
  const lines = [
    'POST /v1/customers HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key ?? ''}`,
    'Content-Type: application/json',
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function refusal({ statuses, headers, body }: RawAnswer): unknown[] {
  return [...statuses, headers['error-code'], headers['retry-after'], JSON.parse(body)];
}

test('a key with too many concurrent requests gets 429, and others are served', async () => {
  const heads = times(perKeyMax + 1, creationWith(system.live.key));
  const held = await HeldRequests.open(heads, customer);
  expect(refusal(await held.firstAnswer())).toEqual([
    429,
    'too_many_requests',
    '1',
    { error: 'Too many requests' },
  ]);
  expect((await system.live.get('/customers')).status).toBe(429);
  expect((await other.get('/customers')).status).toBe(200);
  expect(await held.finish()).toEqual([...times(perKeyMax, 201), 429]);
  expect((await system.live.get('/customers')).status).toBe(200);
});

test('the keys of an organization together get 429 beyond its share, and another organization is served', async () => {
  const ofOne = times(perKeyMax, creationWith(system.live.key));
  const ofOther = times(perOrganizationMax - perKeyMax + 1, creationWith(other.key));
  const held = await HeldRequests.open([...ofOne, ...ofOther], customer);
  expect(refusal(await held.firstAnswer())).toEqual([
    429,
    'too_many_requests',
    '1',
    { error: 'Too many requests' },
  ]);
  expect((await other.get('/customers')).status).toBe(429);
  expect((await stranger.get('/customers')).status).toBe(200);
  expect(await held.finish()).toEqual([...times(perOrganizationMax, 201), 429]);
  expect((await other.get('/customers')).status).toBe(200);
});

test('a process with too many requests answers 503, pages and probes continue, and then it recovers', async () => {
  const ofOne = times(perKeyMax, creationWith(system.live.key));
  const ofOther = times(inFlightMax - perKeyMax + 1, creationWith(stranger.key));
  const held = await HeldRequests.open([...ofOne, ...ofOther], customer);
  expect(refusal(await held.firstAnswer())).toEqual([
    503,
    'unavailable',
    '1',
    { error: 'Service unavailable' },
  ]);
  const refused = await other.request('GET', '/customers', { repeatsMax: 0 });
  expect(refused.status).toBe(503);
  const hidden = await other.post('/checkout', { customerId: 'x', productId: 'x' });
  expect([hidden.status, hidden.body]).toEqual([500, { error: 'Internal server error' }]);
  const statusOf = async (path: string) => (await fetch(`${system.gatewayUrl}${path}`)).status;
  expect(await statusOf('/healthz')).toBe(200);
  expect(await statusOf(page)).toBe(404);
  expect(await held.finish()).toEqual([...times(inFlightMax, 201), 503]);
  expect((await other.get('/customers')).status).toBe(200);
});

test('three hundred advances of one key leave capacity for live requests and sign-in', async () => {
  const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00Z');
  // A key that the gateway does not know yet is verified within the limit of the process.
  expect((await sandbox.get('/customers')).status).toBe(200);
  const leaving = new AbortController();
  const answered: number[] = [];
  // Each to another instant, so that none joins another. Admitted ones wait for the ones before.
  let days = 1;
  const advances = Array.from({ length: 300 }, async () => {
    while (!leaving.signal.aborted) {
      const to = new Date(Date.UTC(2026, 0, (days += 1))).toISOString();
      const asked = { body: { to }, signal: leaving.signal };
      const { status } = await sandbox.request('POST', '/sandboxes/clock/advance', asked);
      answered.push(status);
    }
  });
  await eventually(() => {
    expect(answered).toContain(429);
  });
  await eventually(async () => {
    expect((await system.live.get('/customers')).status).toBe(200);
  });
  await eventually(async () => {
    const signIn = await fetch(`${system.gatewayUrl}/dashboard/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: system.gatewayUrl },
      body: JSON.stringify({ email: 'unknown@example.com', password: 'a wrong password' }),
    });
    expect(signIn.status).toBe(401);
  });
  leaving.abort();
  await Promise.allSettled(advances);
  // 400: a later advance has passed the instant; 503: the key was looked up again in the burst.
  const legal = [200, 400, 429, 503];
  expect([...new Set(answered)].filter((status) => !legal.includes(status))).toEqual([]);
});

test('under a load far above the limit every request is answered or refused, and quickly', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      (index % 2 === 0 ? system.live : other).post('/customers', JSON.parse(customer)),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![201, 429, 503].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(perKeyMax);
  for (const { status, headers } of answers) {
    if (status !== 201) expect(headers.get('retry-after')).toBe('1');
  }
  expect((await system.live.get('/customers')).status).toBe(200);
});
