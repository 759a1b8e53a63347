import { get } from 'node:http';
import { monotonicMs } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { linkPath } from './link-path';
import { RawConnection } from './raw-http';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const perAddressMax = 50;
const providerEventsMax = 200;
const formMs = 5_000;
const providerEventMs = 10_000;
// Far beyond the times of bodies without a key.
const requestMs = 120_000;
const strangers = '127.0.0.2';
const measured = { timeoutMs: 300_000 };
const providerPath = '/provider-events/stripe';

let system: OwnTestSystem;
let formPath: string;
const open: RawConnection[] = [];

function closeAll(): void {
  for (const { socket } of open.splice(0)) socket.destroy();
}

beforeAll(async () => {
  system = await startTestSystem({
    ownProcess: true,
    gateway: { HTTP_REQUEST_TIMEOUT_MS: String(requestMs) },
  });
  formPath = await linkPath(system.sandbox);
});

afterEach(closeAll);

afterAll(async () => {
  await system.stop();
});

/** Sends a request without most of its body. */
async function openSlow(
  path: string,
  { type = 'application/x-www-form-urlencoded', from }: { type?: string; from?: string } = {},
): Promise<RawConnection> {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(system.gatewayUrl).host}`,
    `Origin: ${system.gatewayUrl}`,
    `Content-Type: ${type}`,
    'Stripe-Signature: t=1,v1=0',
    ...(path.startsWith('/v1/') ? [`Authorization: Bearer ${system.sandboxKey}`] : []),
    'Content-Length: 1000',
  ];
  const connection = await RawConnection.open(system.gatewayUrl, from);
  connection.send(`${head.join('\r\n')}\r\n\r\n{`);
  open.push(connection);
  return connection;
}

/**
 * Measures what must happen before the bodies of the measurement end. A busy machine may take
 * longer, which says nothing: then it is measured again.
 */
function before<T>(bodyMs: number, measure: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    const startMs = monotonicMs();
    try {
      const found = await measure();
      expect(monotonicMs() - startMs).toBeLessThan(bodyMs);
      return found;
    } catch (error) {
      closeAll();
      throw error;
    }
  }, measured);
}

const openForm = (from?: string) => openSlow(formPath, { from });
const openProviderEvent = (from?: string) => openSlow(providerPath, { from });
const openSignIn = (from?: string) =>
  openSlow('/dashboard/api/session', { type: 'application/json', from });

/** Number of connections by the status of their first answer, once all are answered. */
async function countsOf(connections: readonly RawConnection[]): Promise<Record<string, number>> {
  const statuses = await eventually(() =>
    connections.map(({ received }) => {
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
      if (status === undefined) throw new Error('A request has no answer');
      return status;
    }),
  );
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function statusFrom(localAddress: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${system.gatewayUrl}${path}`, { localAddress, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).once('error', reject);
  });
}

async function expectPagesFor(address: string): Promise<void> {
  expect(await statusFrom(address, formPath)).toBe(200);
  expect(await statusFrom(address, '/portal')).toBe(410);
  expect(await statusFrom(address, '/dashboard')).toBe(200);
}

test('a slow form ends before a slow event of a provider, and both before a slow request with a key', async () => {
  const { keyed, providerEvent, formAnswer, signInAnswer } = await before(
    providerEventMs,
    async () => {
      const opened = {
        keyed: await openSlow('/v1/customers', { type: 'application/json' }),
        providerEvent: await openProviderEvent(),
      };
      const [signIn, form] = [await openSignIn(), await openForm()];
      const answers = { formAnswer: await form.answer(), signInAnswer: await signIn.answer() };
      expect([opened.providerEvent.received, opened.keyed.received]).toEqual(['', '']);
      return { ...opened, ...answers };
    },
  );
  expect(formAnswer.statuses).toEqual([408]);
  // The server itself would answer in JSON.
  expect(formAnswer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'error-code': 'timed_out',
    connection: 'close',
  });
  expect(formAnswer.afterMs).toBeGreaterThan(formMs * 0.9);
  expect(signInAnswer.statuses).toEqual([408]);
  expect(signInAnswer.afterMs).toBeGreaterThan(formMs * 0.9);
  const eventAnswer = await providerEvent.answer();
  expect(eventAnswer.statuses).toEqual([408]);
  expect(eventAnswer.afterMs).toBeGreaterThan(providerEventMs * 0.9);
  expect(keyed.received).toBe('');
});

test('a form without a valid token is refused before its body', async () => {
  const connection = await openSlow(`/checkout/${'x'.repeat(43)}`);
  await eventually(() => {
    expect(connection.received).toMatch(/^HTTP\/1\.1 404 /);
  });
});

test('an address has fifty places over all kinds of requests without a key', async () => {
  const from = '127.0.0.3';
  const kinds = [openForm, openProviderEvent, openSignIn];
  const held = await before(formMs, async () => {
    const opened = await Promise.all(
      Array.from({ length: perAddressMax + 1 }, (_, n) => kinds[n % kinds.length]!(from)),
    );
    await eventually(
      () => {
        expect(opened.filter(({ received }) => received.startsWith('HTTP/1.1 429'))).toHaveLength(
          1,
        );
      },
      { timeoutMs: formMs },
    );
    await expectPagesFor(strangers);
    return opened;
  });
  expect(await countsOf(held)).toEqual({ '408': perAddressMax, '429': 1 });
});

test('events of providers from many addresses leave the places of payers and operators', async () => {
  const addresses = Array.from({ length: 5 }, (_, n) => `127.0.1.${String(n + 1)}`);
  const perAddress = providerEventsMax / addresses.length + 1;
  // The pages do not wait until all of them have ended.
  const held = await before(providerEventMs, async () => {
    const opened = await Promise.all(
      addresses.flatMap((from) =>
        Array.from({ length: perAddress }, () => openProviderEvent(from)),
      ),
    );
    await eventually(
      () => {
        const refused = opened.filter(({ received }) => received.startsWith('HTTP/1.1 503'));
        expect(refused).toHaveLength(addresses.length);
      },
      { timeoutMs: providerEventMs },
    );
    await expectPagesFor(strangers);
    return opened;
  });
  expect(await countsOf(held)).toEqual({ '408': providerEventsMax, '503': addresses.length });
});

test.each([
  ['events of providers', openProviderEvent],
  ['forms of public pages', openForm],
])('a thousand slow %s from one address delay no page of another', async (_kind, openOne) => {
  const slow = await Promise.all(Array.from({ length: 1_000 }, () => openOne()));
  // Some were admitted and are waited for, or were answered 408 by now.
  await eventually(() => {
    expect(slow.some(({ received }) => received.startsWith('HTTP/1.1 429'))).toBe(true);
  });
  expect((await system.sandbox.get('/customers')).status).toBe(200);
  await expectPagesFor(strangers);
  closeAll();
  await eventually(async () => {
    expect(await statusFrom('127.0.0.1', '/dashboard')).toBe(200);
  });
});
