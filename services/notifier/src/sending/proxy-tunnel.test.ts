import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '@billing/chassis/clock';
import { WebhookClient } from './webhook-client';

let servers: Server[];
let asked: string[];
let credentials: (string | undefined)[];
/** Status of the proxy's refusal; undefined: it connects. */
let refusal: number | undefined;
let client: WebhookClient;

beforeEach(() => {
  servers = [];
  asked = [];
  credentials = [];
  refusal = undefined;
});

afterEach(async () => {
  await client.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts a proxy, and a client that uses it. */
async function useProxy(addresses: string[]): Promise<void> {
  const proxy = createServer();
  proxy.on('connect', ({ url = '', headers }: IncomingMessage, socket) => {
    asked.push(url);
    credentials.push(headers['proxy-authorization']);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${String(refusal)} Refused\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    socket.on('error', () => target.destroy());
  });
  const port = await listen(proxy);
  client = new WebhookClient({
    timeoutMs: 30_000,
    connectionsMax: 1,
    resolve: () => Promise.resolve(addresses),
    proxy: new URL(`http://billing:p%40ss@127.0.0.1:${String(port)}`),
    clock: systemClock,
  });
}

async function post(url: string, allowLoopback = true) {
  const target = { endpointId: 'e', url, policy: { allowLoopback } };
  const message = { headers: {}, body: 'hello', signal: new AbortController().signal };
  return client.post(target, message);
}

test('a webhook goes through the proxy, to the verified address', async () => {
  const hosts: (string | undefined)[] = [];
  const receiver = createServer(({ headers }, response) => {
    hosts.push(headers.host);
    response.end('thanks');
  });
  const port = String(await listen(receiver));
  await useProxy(['127.0.0.1']);
  const url = `http://shop.example:${port}/hook`;
  expect(await post(url)).toMatchObject({ kind: 'answered', status: 200, body: 'thanks' });
  expect(asked).toEqual([`127.0.0.1:${port}`]);
  expect(hosts).toEqual([`shop.example:${port}`]);
  const given = Buffer.from(credentials[0]?.split(' ')[1] ?? '', 'base64').toString();
  expect(given).toBe('billing:p@ss');
});

test.each([
  ['a name with a private address', 'http://shop.example/', ['8.8.8.8', '10.0.0.1']],
  ['a private address', 'http://10.0.0.1/', []],
  ['loopback', 'https://127.0.0.1/', []],
])('the proxy is not asked for %s', async (_name, url, addresses) => {
  await useProxy(addresses);
  const error = 'The address is not public';
  expect(await post(url, false)).toEqual({ kind: 'unanswered', error });
  expect(asked).toEqual([]);
});

test('a proxy that refuses leaves the webhook unanswered, with its status', async () => {
  await useProxy(['127.0.0.1']);
  refusal = 403;
  const error = 'The proxy answered 403';
  expect(await post('https://shop.example/hook')).toEqual({ kind: 'unanswered', error });
  expect(asked).toEqual(['127.0.0.1:443']);
});
