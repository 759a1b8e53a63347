import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { testContext } from '@billing/chassis/testing';
import type { Peers } from '../../peer/peers';
import { LostCallRegistry } from './lost-call-registry';
import { LostCalls } from './lost-calls';

const callerId = 'caller';
const sent = 'POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 0\r\n\r\n';

/** A gateway whose first call waits until `answer` is called. */
class Gateway {
  readonly registry = new LostCallRegistry({
    calls: {
      listLostCalls: () => Promise.resolve({ calls: [] }),
      recordLostCall: () => Promise.resolve({}),
      claimLostCall: () => Promise.resolve({ id: undefined, isRunning: true }),
    } as unknown as Peers['lostCall'],
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  private readonly begins = Promise.withResolvers<Socket>();
  private readonly answers = Promise.withResolvers<undefined>();
  private readonly lostCalls = new LostCalls(this.registry, systemClock);
  private readonly server: Server = createServer((request, response) => {
    const call = { callerId, method: 'POST', path: '/', body: {}, isCredential: false };
    const { socket } = request;
    const context = testContext();
    const handle = async () => {
      this.begins.resolve(socket);
      await this.answers.promise;
      return { status: 201, body: {} };
    };
    request.resume();
    void this.lostCalls
      .run({ ...call, context }, response, handle)
      .then(({ status }) => response.writeHead(status).end())
      .catch(() => response.destroy());
  });

  /** Connection of the first call, once it runs. */
  readonly begun = this.begins.promise;

  answer(): void {
    this.answers.resolve(undefined);
  }

  async connect(): Promise<Socket> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const client = connect((this.server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(sent);
    return client;
  }

  async stop(): Promise<void> {
    this.answer();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.registry.close();
  }
}

let gateway: Gateway;

beforeEach(() => {
  gateway = new Gateway();
});

afterEach(() => gateway.stop());

test('a running call is lost with the event that ends its connection, before the next request is read', async () => {
  const client = await gateway.connect();
  const socket = await gateway.begun;
  const isKnown = new Promise<boolean>((resolve) => {
    socket.once('end', () => {
      resolve(gateway.registry.knows(callerId));
    });
  });
  expect(gateway.registry.knows(callerId)).toBe(false);
  client.destroy();
  expect(await isKnown).toBe(true);
});

test('a call whose client leaves after the answer is not lost', async () => {
  const client = await gateway.connect();
  const socket = await gateway.begun;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answered = new Promise((resolve) => client.once('data', resolve));
  gateway.answer();
  await answered;
  client.end();
  await closed;
  expect(gateway.registry.knows(callerId)).toBe(false);
});
