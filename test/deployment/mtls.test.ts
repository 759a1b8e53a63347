import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sleep, systemClock } from '@billing/chassis/clock';
import { isServing, connectPeer } from '@billing/chassis/peer';
import { connectStream } from '@billing/chassis/jet-stream';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { eventually, testContext } from '@billing/chassis/testing';
import { createTestAuthority, type TestAuthority } from '@billing/chassis/testing/network';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { freePort } from '@billing/chassis/listen-address';
import { type ServiceName, serviceNames } from '@billing/local/services';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { ApiClient } from '../support/api-client';
import { dailySandbox } from '../support/daily-sandbox';
import { OperatorClient } from '../support/operator-client';
import { product } from '../support/patterns';
import { type SecuredNats, startSecuredNats } from './secured-nats';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const patience = { everyMs: 100 };
const connectionAgeMs = 1_000;
const setUpMs = 600_000;
const backends = serviceNames.filter((name) => name !== 'gateway');

const run = promisify(execFile);
const firstOwnerCommand = join(__dirname, '../../services/identity/dist/first-owner.js');

const folder = mkdtempSync(join(tmpdir(), 'billing-c-'));
const first = createTestAuthority();
const second = createTestAuthority();
// The test's certificate: it acts as the launcher, which creates the first keys, and as a gateway.
const callerNames = 'DNS:test,DNS:billing-gateway,DNS:billing-identity';
const caller = first.issue(callerNames);
const natsCertificate = first.issue('DNS:localhost,IP:127.0.0.1');

const healthPorts = new Map<string, number>();

let nats: SecuredNats | undefined;
let system: OwnTestSystem;
let receiver: WebhookReceiver;

beforeAll(async () => {
  for (const name of serviceNames) {
    mkdirSync(join(folder, name));
    putCertificates(name, first.issue(namesOf(name)));
    healthPorts.set(name, await freePort());
  }
  writeFileSync(join(folder, 'nats-ca.crt'), natsCertificate.authority);
  nats = await startSecuredNats(backends, natsCertificate);
  receiver = await startWebhookReceiver();
  const secured = { security: caller, variablesOf };
  system = await startTestSystem({ processes: true, secured });
}, setUpMs);

afterAll(async () => {
  await system.stop();
  await receiver.close();
  await nats?.stop();
  rmSync(folder, { recursive: true });
});

/**
 * The names of a service's certificate: dialed as localhost, and known to others by the service's
 * name.
 */
function namesOf(service: ServiceName): string {
  return `DNS:localhost,DNS:billing-${service}`;
}

function pathOf(service: string, file: string): string {
  return join(folder, service, file);
}

/** Writes each file atomically, as a mounted volume does: no process reads half a file. */
function put(service: string, file: string, content: string): void {
  writeFileSync(pathOf(service, `${file}.new`), content);
  renameSync(pathOf(service, `${file}.new`), pathOf(service, file));
}

function putCertificates(service: string, { certificate, key, authority }: TransportSecurity) {
  put(service, 'tls.key', key);
  put(service, 'tls.crt', certificate);
  put(service, 'ca.crt', authority);
}

function variablesOf(service: ServiceName): Record<string, string> {
  return {
    GRPC_TLS_CERT_FILE: pathOf(service, 'tls.crt'),
    GRPC_TLS_KEY_FILE: pathOf(service, 'tls.key'),
    GRPC_TLS_CA_FILE: pathOf(service, 'ca.crt'),
    GRPC_TLS_REREAD_MS: '100',
    // Connections are replaced during the test.
    GRPC_CONNECTION_AGE_MS: String(connectionAgeMs),
    HEALTH_LISTEN: `127.0.0.1:${String(healthPorts.get(service))}`,
    ...(nats !== undefined &&
      service !== 'gateway' && {
        NATS_URL: nats.urlOf(service),
        NATS_TLS_CA_FILE: join(folder, 'nats-ca.crt'),
      }),
  };
}

async function subscribe(api: ApiClient): Promise<void> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'a@example.com' });
  const { id: productId } = await create('/products', product);
  const authorizedTransactionId = `txn_${newId()}`;
  const purchase = { customerId, productId, authorizedTransactionId };
  const { id } = await create('/subscriptions', purchase);
  // A busy machine answers before the first charge.
  await eventually(async () => {
    const { status } = await api.expect(200, api.get(`/subscriptions/${String(id)}`));
    expect(status).toBe('ACTIVE');
  }, patience);
}

function serves(name: ServiceName, security: TransportSecurity | undefined): Promise<boolean> {
  const deadline = new Date(systemClock.now().getTime() + 5_000);
  return isServing(system.addresses[name], { deadline, security });
}

async function serveAll(security: TransportSecurity | undefined): Promise<boolean[]> {
  return Promise.all(backends.map((name) => serves(name, security)));
}

const all = (answer: boolean) => backends.map(() => answer);

/** A busy machine may let a single probe time out. */
const expectAllToServe = (security: TransportSecurity) =>
  eventually(async () => {
    expect(await serveAll(security)).toEqual(all(true));
  }, patience);

test('processes that authenticate each other by certificates work as without', async () => {
  const { sandbox } = system;
  await sandbox.expect(201, sandbox.post('/webhook-endpoints', { url: receiver.url }));
  await subscribe(sandbox);
  await eventually(() => {
    const types = receiver.received.map(({ body }) => body.type as string);
    expect(types).toEqual(['subscription.created', 'subscription.payment_succeeded']);
  }, patience);
});

// `test/gateway/connection-age.test.ts` is the whole round.
test('no advance is cut while the connections below it are replaced', async () => {
  const startsAt = '2026-01-01T00:00:00.000Z';
  // More renewals than any machine makes during the calls.
  const sandbox = await dailySandbox(system.live, { startsAt, subscriptionCount: 10 });
  const to = '2030-12-31T00:00:00.000Z';
  let ended = 0;
  const calls = Array.from({ length: 5 }, () =>
    sandbox.post('/sandboxes/clock/advance', { to }).finally(() => (ended += 1)),
  );
  const outcomes = Promise.allSettled(calls);
  await sleep(4 * connectionAgeMs);
  await eventually(async () => {
    // A call that arrives after a stop begins the next advance.
    await sandbox.expect(200, sandbox.delete('/sandboxes/clock/advance'));
    expect(ended).toBe(calls.length);
  });
  for (const outcome of await outcomes) {
    const answer = { status: 200, body: expect.objectContaining({ stopped: true }) };
    expect(outcome).toMatchObject({ status: 'fulfilled', value: answer });
  }
});

test('every service answers a caller of the same authority', async () => {
  await expectAllToServe(caller);
});

test('probes, which have no certificate, are answered alongside the calls', async () => {
  await eventually(async () => {
    const probed = backends.map((name) =>
      fetch(`http://127.0.0.1:${String(healthPorts.get(name))}/readyz`),
    );
    expect((await Promise.all(probed)).map(({ ok }) => ok)).toEqual(all(true));
  }, patience);
});

test.each<[string, () => TransportSecurity | undefined]>([
  ['without TLS', () => undefined],
  [
    'with a certificate of another authority',
    () => ({ ...second.issue(), authority: caller.authority }),
  ],
])('every service refuses a caller %s', async (_who, stranger) => {
  expect(await serveAll(stranger())).toEqual(all(false));
  const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
    address: system.addresses.customer,
    service: 'test',
    security: stranger(),
  });
  const context = testContext({ deadlineMs: 20_000 });
  await expect(peer.getCustomers({ ids: [] }, context)).rejects.toMatchObject({
    kind: 'unavailable',
  });
  peer.close();
});

describe('a call by a service of the same authority', () => {
  async function createInvoicesAs(service: ServiceName): Promise<unknown> {
    const peer = connectPeer<CheckoutServiceServer>(CheckoutServiceService, {
      address: system.addresses.checkout,
      service: 'test',
      security: first.issue(namesOf(service)),
    });
    try {
      return await peer.createInvoices({ requests: [] }, testContext({ deadlineMs: 20_000 }));
    } finally {
      peer.close();
    }
  }

  test('is refused where the caller table does not name the service for the method', async () => {
    for (const service of ['notifier', 'discount', 'gateway'] as const) {
      await expect(createInvoicesAs(service)).rejects.toMatchObject({ kind: 'permission' });
    }
  });

  test('is accepted where the table names it: the error is about the missing invoice', async () => {
    await expect(createInvoicesAs('subscription')).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });
});

test('the first owner of another organization gets a link that a command in the pod prints', async () => {
  const environment = {
    ...variablesOf('identity'),
    IDENTITY_ADDRESS: system.addresses.identity,
    HOSTED_PAGE_URL: system.gatewayUrl,
    ORGANIZATION_NAME: 'Acme',
  };
  const command = () => run(process.execPath, [firstOwnerCommand], { env: environment });
  const { stdout: link } = await command();
  const client = new OperatorClient(system.gatewayUrl);
  await client.accept(link.trim(), 'ada@acme.example');
  await expect(command()).rejects.toMatchObject({
    code: 78,
    stdout: '',
    stderr: expect.stringContaining('Acme already has operators'),
  });
});

/** Uses the system until it is stopped. */
class Usage {
  isOver = false;
  done = 0;
  readonly failures: unknown[] = [];
  private readonly running = this.use();

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async use(): Promise<void> {
    while (!this.isOver) {
      await subscribe(system.sandbox).catch((error: unknown) => this.failures.push(error));
      this.done += 1;
    }
  }
}

function logOf(service: string): string {
  return readFileSync(join(system.logDir, `${service}.log`), 'utf8');
}

async function rotateTo(next: TestAuthority): Promise<void> {
  const certificates = new Map(serviceNames.map((name) => [name, next.issue(namesOf(name))]));
  const newcomer = next.issue(callerNames);
  const both = `${caller.authority}\n${newcomer.authority}`;
  // A client of a new certificate must know its authority by then, and clients with the old one
  // still exist.
  for (const name of serviceNames) put(name, 'ca.crt', both);
  await eventually(() => {
    for (const name of serviceNames) expect(logOf(name)).toContain('certificates replaced');
  }, patience);
  for (const [name, { certificate, key }] of certificates) {
    put(name, 'tls.key', key);
    put(name, 'tls.crt', certificate);
  }
  await eventually(() => {
    for (const [name, { certificate }] of certificates) {
      expect(logOf(name)).toContain(new X509Certificate(certificate).serialNumber);
    }
  }, patience);
  for (const name of serviceNames) put(name, 'ca.crt', newcomer.authority);
  await eventually(async () => {
    expect(await serveAll({ ...caller, authority: newcomer.authority })).toEqual(all(false));
  }, patience);
  await expectAllToServe(newcomer);
}

test('certificates of a new authority are loaded while requests run, and no process restarts', async () => {
  const pids = system.pids();
  const usage = new Usage();
  await rotateTo(second);
  const before = usage.done;
  await eventually(
    () => {
      expect(usage.done).toBeGreaterThan(before + 10);
    },
    { ...patience, timeoutMs: 200_000 },
  );
  await usage.end();
  expect(usage.failures).toEqual([]);
  expect(system.pids()).toEqual(pids);
}, 900_000);

describe('a NATS server with users', () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const streamName = 'T_PERMISSIONS';

  async function publishAs(user: string, subject: string): Promise<void> {
    if (nats === undefined) return;
    const { authority } = natsCertificate;
    const options = { url: nats.urlOf(user), authority, streamName, service: user, logger };
    const stream = await connectStream(options);
    try {
      await stream.publish({ subject, id: `${user} ${subject}`, data: '{}' });
    } finally {
      await stream.close();
    }
  }

  test('lets a service announce its own events, and no others', async () => {
    if (nats === undefined) return;
    await eventually(() => publishAs('catalog', 'catalog.product.created'), patience);
    await expect(publishAs('catalog', 'subscription.subscription.canceled')).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  test('refuses a client without a user, or without TLS', async () => {
    if (nats === undefined) return;
    const url = `nats://127.0.0.1:${String(nats.port)}`;
    const { authority } = natsCertificate;
    const stranger = { url, authority, streamName, service: 'test', logger };
    const known = { ...stranger, url: nats.urlOf('catalog') };
    const untrusting = { ...known, authority: second.issue().authority };
    const isConnected = async (options: typeof stranger) => {
      const stream = await connectStream(options);
      const outcome = stream.isConnected();
      await stream.close();
      return outcome;
    };
    // A busy machine may let a single attempt time out.
    await eventually(async () => {
      expect(await isConnected(known)).toBe(true);
    }, patience);
    for (const options of [stranger, untrusting]) expect(await isConnected(options)).toBe(false);
  });
});
