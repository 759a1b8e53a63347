import { createSocket, type Socket } from 'node:dgram';
import { systemClock } from '@billing/chassis/clock';
import { createResolver } from './connection-pool';
import type { Outcome } from '../delivery/delivery';
import { startReceiver, type WebhookReceiver } from '../testing/system';
import { WebhookClient } from './webhook-client';

// A public address without a server at this port: a connection attempt gets no answer within the
// time of these tests.
const publicAddress = '93.184.216.34';
const refused = { kind: 'unanswered', error: 'The address is not public' };
const typeA = 1;

/**
 * Starts a local name server. Each question for an IPv4 address gets the next entry of `answers`;
 * the last entry is repeated.
 */
async function startNameServer(answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const socket: Socket = createSocket('udp4');
  let next = 0;
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const addresses = type === typeA ? (answers[Math.min(next, answers.length - 1)] ?? []) : [];
    if (type === typeA) {
      asked.push(name);
      next += 1;
    }
    socket.send(toAnswer(query.subarray(0, end), addresses), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return { asked, address: `127.0.0.1:${String(socket.address().port)}`, socket };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Builds an answer to the question: the addresses with a TTL of 0. */
function toAnswer(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question);
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(addresses.length, 6);
  // Drops everything after the question.
  header.writeUInt16BE(0, 10);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([header, ...records]);
}

describe('an endpoint whose name resolves differently between check and use', () => {
  let receiver: WebhookReceiver;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
  });

  afterAll(async () => {
    for (const close of closers) await close();
    await receiver.close();
  });

  async function clientOf(answers: readonly (readonly string[])[]) {
    const { asked, address, socket } = await startNameServer(answers);
    const client = new WebhookClient({
      timeoutMs: 5_000,
      connectionsMax: 1,
      resolve: createResolver([address]),
      clock: systemClock,
    });
    closers.push(
      () => client.close(),
      () => socket.close(),
    );
    const post = (allowLoopback = false): Promise<Outcome> => {
      const url = `http://rebinding.example.com:${new URL(receiver.origin).port}/rebound`;
      const target = { endpointId: 'endpoint', url, policy: { allowLoopback } };
      return client.post(target, { headers: {}, body: '{}', signal: new AbortController().signal });
    };
    return { asked, post };
  }

  test('is resolved through the configured name server', async () => {
    const { asked, post } = await clientOf([['127.0.0.1']]);
    expect(await post(true)).toMatchObject({ kind: 'answered', status: 204 });
    expect(asked).toEqual(['rebinding.example.com']);
    receiver.received.length = 0;
  });

  test('is never reached at the loopback address that the second lookup returns', async () => {
    const { asked, post } = await clientOf([[publicAddress], ['127.0.0.1']]);

    const first = await post();
    expect(first.kind).toBe('unanswered');
    expect(first).not.toEqual(refused);
    expect(await post()).toEqual(refused);
    // The verified answer is the one that was connected to: no second question was sent in between.
    expect(asked).toHaveLength(2);
    expect(receiver.received).toEqual([]);
  });

  test.each([
    ['loopback together with a public address', [publicAddress, '127.0.0.1']],
    ['an address of a carrier', ['100.64.0.1']],
    ['the unspecified address', ['0.0.0.0']],
    ['an address that clouds give their secrets at', ['169.254.169.254']],
  ])('is not connected to when its name resolves to %s', async (_name, addresses) => {
    const { post } = await clientOf([addresses]);
    expect(await post()).toEqual(refused);
    expect(receiver.received).toEqual([]);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with status %i is not followed', async (status) => {
    const [outside, inside] = [await startReceiver(), await startReceiver()];
    outside.answer = () => ({ status, headers: { location: `${inside.origin}/secret` } });
    const client = new WebhookClient({
      timeoutMs: 60_000,
      connectionsMax: 1,
      resolve: createResolver(),
      clock: systemClock,
    });
    const target = { endpointId: 'e', url: outside.origin, policy: { allowLoopback: true } };
    const { signal } = new AbortController();
    const outcome = await client.post(target, { headers: {}, body: '{}', signal });

    expect(outcome).toMatchObject({ kind: 'answered', status });
    expect(inside.received).toEqual([]);
    await client.close();
    await Promise.all([outside.close(), inside.close()]);
  });
});
