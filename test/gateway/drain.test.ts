import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { freePort } from '@billing/chassis/listen-address';
import { product } from '../support/patterns';
import { RawConnection } from './raw-http';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// Far longer than clients take to reconnect, however busy the machine is.
const drainDelayMs = 8_000;
// Few enough for a busy machine to answer all in time.
const workers = 12;
const heldRequests = 8;

let system: OwnTestSystem;
let gateway: ChildProcess;
let url: string;
let pagePath: string;

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  gateway = spawn(process.execPath, [join(__dirname, '../../gateway/dist/main.js')], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HTTP_LISTEN: `127.0.0.1:${port}`,
      HOSTED_PAGE_URL: url,
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_PAGES_PER_SECOND: '0',
      DRAIN_DELAY_MS: String(drainDelayMs),
      SHUTDOWN_GRACE_MS: '20000',
      // Requests are held open on purpose.
      HTTP_HEADERS_TIMEOUT_MS: '100000',
      HTTP_REQUEST_TIMEOUT_MS: '100000',
      ...Object.fromEntries(
        Object.entries(system.addresses).map(([name, address]) => [
          `${name.toUpperCase()}_ADDRESS`,
          address,
        ]),
      ),
    },
  });
  await eventually(async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
  pagePath = await checkoutPage();
});

afterAll(async () => {
  gateway.kill('SIGKILL');
  await system.stop();
});

async function checkoutPage(): Promise<string> {
  const { sandbox } = system;
  const create = (path: string, body: object) => sandbox.expect(201, sandbox.post(path, body));
  const { id: customerId } = await create('/customers', { email: 'a@example.com' });
  const { id: productId } = await create('/products', product);
  const { checkoutUrl } = await create('/checkout', { customerId, productId });
  return new URL(checkoutUrl).pathname;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

function ask(agent: Agent, method: string, path: string, body?: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${system.live.key ?? ''}`,
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      }),
    };
    const asked = request(`${url}${path}`, { agent, method, headers }, (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/**
 * Clients that send as fast as they can, and reconnect elsewhere when a response closes the
 * connection.
 */
class Load {
  created = 0;
  readonly answers: Answered[] = [];
  readonly failures: unknown[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: workers });
  private readonly running = Array.from({ length: workers }, (_, index) => this.work(index));

  async end(): Promise<void> {
    await Promise.all(this.running);
    this.agent.destroy();
  }

  private async work(index: number): Promise<void> {
    const send = () =>
      index % 4 === 0
        ? ask(this.agent, 'GET', pagePath)
        : ask(this.agent, 'POST', '/v1/customers', '{"email":"b@example.com"}');
    try {
      for (let isAsked = false; !isAsked;) {
        const answer = await send();
        this.answers.push(answer);
        if (answer.status === 201) this.created += 1;
        isAsked = answer.headers.connection === 'close';
      }
    } catch (error) {
      this.failures.push(error);
    }
  }
}

async function heldRequest(): Promise<RawConnection> {
  const body = '{"email":"c@example.com"}';
  const lines = [
    'POST /v1/customers HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${system.live.key ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    // The server sends it once it has read the headers: from then on the request runs.
    'Expect: 100-continue',
  ];
  const connection = await RawConnection.open(url);
  connection.send(`${lines.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  await eventually(() => {
    expect(connection.received).toContain('100 Continue');
  });
  return connection;
}

test('a gateway that is stopped under load is not ready, answers all requests in flight, and ends', async () => {
  const idle = await RawConnection.open(url);
  const load = new Load();
  await eventually(() => {
    expect(load.answers.length).toBeGreaterThan(2 * workers);
  });

  // In flight at the time of the stop, with a deadline of 10 s.
  const held = await Promise.all(Array.from({ length: heldRequests }, heldRequest));
  const ended = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  await eventually(async () => {
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  });
  for (const connection of held) connection.send('}');
  const answers = await Promise.all(held.map((connection) => connection.answer()));
  for (const { statuses: both, headers } of answers) {
    expect([both, headers.connection]).toEqual([[100, 201], 'close']);
  }
  await load.end();
  expect(load.failures).toEqual([]);
  const statuses = new Set(load.answers.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 201]);

  // From then on no connection is accepted.
  await eventually(async () => {
    await expect(fetch(`${url}/healthz`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
  });
  expect((await idle.answer()).text).toBe('');
  expect(await ended).toEqual([0, null]);
  const { total } = (await system.live.get('/customers')).body;
  expect(total).toBe(load.created + heldRequests);
});
