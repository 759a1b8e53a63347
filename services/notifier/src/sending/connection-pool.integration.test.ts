import { systemClock } from '@billing/chassis/clock';
import { createResolver } from './connection-pool';
import type { Outcome } from '../delivery/delivery';
import { startReceiver, type WebhookReceiver } from '../testing/system';
import { WebhookClient } from './webhook-client';

const refused = { kind: 'unanswered', error: 'The address is not public' };

describe('connections to endpoints', () => {
  let receiver: WebhookReceiver;
  let port: string;
  const resolved: string[] = [];
  const clients: WebhookClient[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    port = new URL(receiver.origin).port;
  });

  beforeEach(() => {
    receiver.answer = () => ({ status: 204 });
    resolved.length = 0;
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await receiver.close();
  });

  /** Posts to a URL whose name resolves to the given addresses. */
  async function post(
    url: string,
    { allowLoopback, addresses = [] }: { allowLoopback: boolean; addresses?: string[] },
  ): Promise<Outcome> {
    const client = new WebhookClient({
      timeoutMs: 60_000,
      connectionsMax: 1,
      resolve: (hostname) => {
        resolved.push(hostname);
        return Promise.resolve(addresses);
      },
      clock: systemClock,
    });
    clients.push(client);
    const target = { endpointId: 'endpoint', url, policy: { allowLoopback } };
    const { signal } = new AbortController();
    return client.post(target, { headers: {}, body: '{}', signal });
  }

  test('are opened to a name whose addresses are all allowed', async () => {
    const url = `http://hooks.example.com:${port}/named`;
    const outcome = await post(url, { allowLoopback: true, addresses: ['127.0.0.1'] });

    expect(outcome).toMatchObject({ kind: 'answered', status: 204 });
    expect(resolved).toEqual(['hooks.example.com']);
    const [webhook] = receiver.receivedAt('/named');
    expect(webhook!.headers.host).toBe(`hooks.example.com:${port}`);
  });

  test.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.0.0.1']],
    ['public and also private', ['93.184.216.34', '192.168.0.1']],
    ['NAT64 of loopback', ['64:ff9b::7f00:1']],
    ['none', []],
  ])(
    'are not opened to a name that resolves to addresses that are %s',
    async (_name, addresses) => {
      const before = receiver.received.length;
      const url = `http://hooks.example.com:${port}/`;

      expect(await post(url, { allowLoopback: false, addresses })).toEqual(refused);
      expect(receiver.received).toHaveLength(before);
    },
  );

  test.each(['127.0.0.1', '[::1]', '2130706433', '[::ffff:7f00:1]'])(
    'are not opened to a refused literal, which bypasses name resolution: %s',
    async (host) => {
      const before = receiver.received.length;

      expect(await post(`http://${host}:${port}/`, { allowLoopback: false })).toEqual(refused);
      expect(receiver.received).toHaveLength(before);
      expect(resolved).toEqual([]);
    },
  );

  test('report the reason of a failure', async () => {
    // No process listens there, and none is given this port.
    const outcome = await post('http://127.0.0.1:1/', { allowLoopback: true });
    expect(outcome).toEqual({
      kind: 'unanswered',
      error: 'connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test('keep only the beginning of a response', async () => {
    receiver.answer = () => ({ status: 500, text: 'é'.repeat(200_000) });
    const outcome = await post(`${receiver.origin}/`, { allowLoopback: true });
    expect(outcome).toMatchObject({ kind: 'answered', status: 500, body: 'é'.repeat(512) });
  });

  test('read the Retry-After header of the receiver', async () => {
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '30' } });
    const outcome = await post(`${receiver.origin}/`, { allowLoopback: true });
    expect(outcome).toMatchObject({ status: 503, retryAfterMs: 30_000 });
  });
});

test.each(['localhost', 'LOCALHOST', 'hooks.localhost.'])(
  'to %s use loopback without asking a name server',
  async (name) => {
    expect(await createResolver()(name)).toEqual(['127.0.0.1', '::1']);
  },
);
