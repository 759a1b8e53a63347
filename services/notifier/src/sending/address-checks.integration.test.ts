import { createSocket, type Socket } from 'node:dgram';
import { systemClock } from '@billing/chassis/clock';
import { createResolver } from './connection-pool';
import type { Outcome } from '../delivery/delivery';
import { startReceiver, type WebhookReceiver } from '../testing/system';
import { WebhookClient } from './webhook-client';

// A public address without a server at this port: a connection attempt gets no answer within this
// time.
const publicAddress = '93.184.216.34';
const unreachableMs = 15_000;
const refused = { kind: 'unanswered', error: 'The address is not public' };
const typeA = 1;

/**
 * Starts a local name server. `answerWith` sets its answers: each question for an IPv4 address gets
 * the next one, and the last one is repeated.
 */
async function startNameServer() {
  let asked: { readonly id: number; readonly name: string }[] = [];
  let answers: readonly (readonly string[])[] = [];
  const socket: Socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { id, name, type, end } = readQuestion(query);
    let addresses: readonly string[] = [];
    if (type === typeA) {
      // A question that got no answer in time is repeated under its id.
      if (!asked.some((one) => one.id === id)) asked.push({ id, name });
      const index = asked.findIndex((one) => one.id === id);
      addresses = answers[Math.min(index, answers.length - 1)] ?? [];
    }
    socket.send(toAnswer(query.subarray(0, end), addresses), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  const answerWith = (...next: (readonly string[])[]) => {
    asked = [];
    answers = next;
  };
  return {
    answerWith,
    /** Names that were asked for since then. */
    asked: () => asked.map(({ name }) => name),
    address: `127.0.0.1:${String(socket.address().port)}`,
    socket,
  };
}

function readQuestion(query: Buffer): { id: number; name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const [id, type] = [query.readUInt16BE(0), query.readUInt16BE(at + 1)];
  return { id, name: labels.join('.'), type, end: at + 5 };
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

  async function startClient(timeoutMs = 60_000) {
    const { answerWith, asked, address, socket } = await startNameServer();
    const client = new WebhookClient({
      timeoutMs,
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
    return { answerWith, asked, post };
  }

  test('is resolved through the configured name server', async () => {
    const { answerWith, asked, post } = await startClient();
    answerWith(['127.0.0.1']);
    expect(await post(true)).toMatchObject({ kind: 'answered', status: 204 });
    expect(asked()).toEqual(['rebinding.example.com']);
    receiver.received.length = 0;
  });

  test('is never reached at the loopback address that the second lookup returns', async () => {
    const { answerWith, asked, post } = await startClient(unreachableMs);
    answerWith([publicAddress], ['127.0.0.1']);
    const first = await post();
    expect(first.kind).toBe('unanswered');
    expect(first).not.toEqual(refused);
    // The verified answer is the one that was connected to: no second question was sent.
    expect(asked()).toHaveLength(1);
    answerWith(['127.0.0.1']);
    expect(await post()).toEqual(refused);
    expect(receiver.received).toEqual([]);
  });

  test.each([
    ['loopback together with a public address', [publicAddress, '127.0.0.1']],
    ['an address of a carrier', ['100.64.0.1']],
    ['the unspecified address', ['0.0.0.0']],
    ['an address that clouds give their secrets at', ['169.254.169.254']],
  ])('is not connected to when its name resolves to %s', async (_name, addresses) => {
    const { answerWith, post } = await startClient();
    answerWith(addresses);
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
