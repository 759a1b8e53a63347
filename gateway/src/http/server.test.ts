import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createLogger } from '@billing/chassis/logging';
import { HttpServer } from './server';

const second = 1_000;
const limits = {
  headersMs: 60 * second,
  requestMs: 60 * second,
  connectionsMax: 100,
  idlePerNetworkMax: 2,
};
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: HttpServer;
let port: number;
const held: (() => void)[] = [];

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write(get);
  const [answer] = (await once(socket, 'data')) as [string];
  return answer.slice(0, 'HTTP/1.1 200'.length);
}

async function serve(app: RequestListener, isProxy: boolean): Promise<void> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  server = new HttpServer({ app, logger, limits, headers: {}, isProxy: () => isProxy });
  port = Number(new URL(await server.listen('127.0.0.1:0')).port);
}

afterEach(async () => {
  for (const release of held.splice(0)) release();
  await server.stop({ drainDelayMs: 0, graceMs: 0 });
});

test('the longest idle connection of an address beyond its limit is closed', async () => {
  await serve((_request, response) => response.end(), false);
  const oldest = await open();
  const closed = once(oldest, 'close');
  const others = [await open(), await open()];
  await closed;
  for (const socket of others) expect(await ask(socket)).toBe('HTTP/1.1 200');
});

test('a connection that waits for a response is not idle', async () => {
  await serve((_request, response) => held.push(() => response.end()), false);
  const waiting = await open();
  waiting.write(get);
  const first = await open();
  const closed = once(first, 'close');
  await open();
  await open();
  await closed;
  const answered = once(waiting, 'data');
  for (const release of held.splice(0)) release();
  expect(String(await answered)).toContain('HTTP/1.1 200');
});

test('a proxy may keep any number of connections', async () => {
  await serve((_request, response) => response.end(), true);
  const sockets = [await open(), await open(), await open()];
  for (const socket of sockets) expect(await ask(socket)).toBe('HTTP/1.1 200');
});
