import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '../testing/testing';
import { listenForProbes, type ProbeServer } from './probe-server';

let probes: ProbeServer;
let isReady = true;
const notReady = () => Promise.resolve({ isReady: false, facts: {} });

beforeAll(async () => {
  probes = await listenForProbes('127.0.0.1:0', () =>
    Promise.resolve({ isReady, facts: { database: 'up', stream: 'down' } }),
  );
});

afterAll(() => probes.stop());

const ask = async (path: string, method = 'GET'): Promise<number> =>
  (await fetch(`http://${probes.address}${path}`, { method })).status;

test.each([
  ['a process that is ready', true, 200],
  ['a process that is not', false, 503],
])('%s reports it, and is live in both cases', async (_case, ready, status) => {
  isReady = ready;
  expect(await ask('/readyz')).toBe(status);
  expect(await ask('/healthz')).toBe(200);
});

test.each([
  [true, { status: 'ready', database: 'up', stream: 'down' }],
  [false, { status: 'not_ready', database: 'up', stream: 'down' }],
])(
  "the body of /readyz reports the state of the process's dependencies (ready: %s)",
  async (ready, body) => {
    isReady = ready;
    const response = await fetch(`http://${probes.address}/readyz`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(body);
  },
);

test.each([
  ['another path', '/metrics', 'GET', 404],
  ['a path with a query', '/healthz?verbose', 'GET', 404],
  ['another method', '/healthz', 'POST', 405],
])('%s is refused', async (_case, path, method, status) => {
  expect(await ask(path, method)).toBe(status);
});

test('a silent connection does not delay the stop', async () => {
  const server = await listenForProbes('127.0.0.1:0', notReady);
  const silent = connect({ host: '127.0.0.1', port: Number(server.address.split(':')[1]) });
  await once(silent, 'connect');
  const gone = once(silent, 'close');
  await server.stop();
  await gone;
});

test('many silent connections do not keep probes waiting for long', async () => {
  const port = Number(probes.address.split(':')[1]);
  const silent = Array.from({ length: 16 }, () => connect({ host: '127.0.0.1', port }));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  await eventually(async () => {
    expect(await ask('/healthz')).toBe(200);
  });
  for (const socket of silent) socket.destroy();
});

test.each([
  ['that is taken', () => probes.address],
  ['that cannot be', () => '127.0.0.1:99999'],
])('an address %s is named in the error', async (_case, address) => {
  await expect(listenForProbes(address(), notReady)).rejects.toThrow(
    `Cannot listen on ${address()}`,
  );
});
