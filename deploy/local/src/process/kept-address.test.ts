import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { freePort } from '@billing/chassis/listen-address';
import { keepAddress, type SocketAddress } from './kept-address';

const host = '127.0.0.1';
const closers: (() => Promise<unknown> | undefined)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function newAddress(): Promise<SocketAddress> {
  return { host, port: await freePort() };
}

/** A program that answers all that it was sent, once the caller has said all. */
async function startProgram(address: SocketAddress): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    void text(socket).then((said) => socket.end(`heard ${said}`));
  });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

function close(server: Server): Promise<unknown> {
  server.close();
  return once(server, 'close');
}

async function connected(address: SocketAddress): Promise<Socket> {
  const socket = connect({ ...address, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

function say(caller: Socket, words: string): Promise<string> {
  caller.end(words);
  return text(caller);
}

async function keep() {
  const [kept, own] = [await newAddress(), await newAddress()];
  const keeper = await keepAddress(kept, own);
  closers.push(() => keeper.close());
  return { kept, own, keeper };
}

test('passes connections both ways', async () => {
  const { kept, own } = await keep();
  const program = await startProgram(own);
  closers.push(() => close(program));
  await expect(say(await connected(kept), 'hello')).resolves.toBe('heard hello');
});

test('keeps callers while the program restarts', async () => {
  const { kept, own } = await keep();
  await close(await startProgram(own));
  const callers = await Promise.all([connected(kept), connected(kept)]);
  const answers = Promise.all(callers.map((caller, index) => say(caller, String(index))));
  const program = await startProgram(own);
  closers.push(() => close(program));
  await expect(answers).resolves.toEqual(['heard 0', 'heard 1']);
});

test('ends waiting connections when it is closed', async () => {
  const { kept, keeper } = await keep();
  const socket = await connected(kept);
  const said = text(socket);
  await keeper.close();
  await expect(said).resolves.toBe('');
});

test('refuses a port that is taken', async () => {
  const taken = await newAddress();
  const program = await startProgram(taken);
  closers.push(() => close(program));
  await expect(keepAddress(taken, await newAddress())).rejects.toThrow('EADDRINUSE');
});
