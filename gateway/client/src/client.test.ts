import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Billing } from './client';
import { BillingConnectionError, BillingError, BillingTimeoutError } from './errors';
import { operationPaths } from './gen/operations';
import { methods } from './operations';

const apiKey = 'billing_test_secret';
const noWait = { 'retry-after': '0' };

/** An answer of the fake API: status, body and headers, or a connection that is cut. */
type FakeAnswer = readonly [number, unknown?, Record<string, string>?] | 'cut' | 'hang';

/** A body that is sent as it is. */
class Text {
  constructor(readonly text: string) {}
}

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

let server: Server;
let received: Received[] = [];
let answers: (request: Received) => FakeAnswer = () => [200, {}];

beforeAll(async () => {
  server = createServer(
    { keepAliveTimeout: 0 },
    (request, response) => void answer(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  received = [];
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await request.setEncoding('utf8').toArray()).join('');
  const { method = '', url = '', headers } = request;
  const one = { method, url, headers, body: text === '' ? undefined : JSON.parse(text) };
  received.push(one);
  const next = answers(one);
  if (next === 'cut') request.socket.destroy();
  if (next === 'cut' || next === 'hang') return;
  const [status, body, more = {}] = next;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more });
  if (body instanceof Text) response.end(body.text);
  else response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** Answers each request in turn. */
function inTurn(...list: FakeAnswer[]): void {
  answers = () => list[received.length - 1] ?? 'cut';
}

function client(options: Partial<ConstructorParameters<typeof Billing>[0]> = {}): Billing {
  const { port } = server.address() as AddressInfo;
  return new Billing({ apiKey, baseUrl: `http://127.0.0.1:${String(port)}/`, ...options });
}

test('each operation of the API has one method, and there is no other', () => {
  const called = Object.values(methods).flatMap((verbs) => Object.values(verbs));
  expect(called.toSorted()).toEqual(Object.keys(operationPaths).toSorted());
  const billing = client();
  for (const [resource, verbs] of Object.entries(methods)) {
    expect(Object.keys(billing[resource as keyof typeof methods])).toEqual(Object.keys(verbs));
  }
});

describe('a request', () => {
  test('has ids in its path, then its body, then its options', async () => {
    answers = () => [200, {}];
    const billing = client({ headers: { 'x-team': 'blue' } });
    await billing.subscriptions.cancel(
      'a/b',
      { atPeriodEnd: true },
      { idempotencyKey: 'k', ifMatch: '"3"', headers: { 'x-request-id': 'r1' } },
    );
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/subscriptions/a%2Fb/cancel',
        body: { atPeriodEnd: true },
        headers: {
          authorization: `Bearer ${apiKey}`,
          'idempotency-key': 'k',
          'if-match': '"3"',
          'x-request-id': 'r1',
          'x-team': 'blue',
          'content-type': 'application/json',
        },
      },
    ]);
  });

  test('with an optional body may leave it out', async () => {
    answers = () => [200, {}];
    await client().subscriptions.cancel('s1');
    expect(received).toMatchObject([{ url: '/v1/subscriptions/s1/cancel', body: {} }]);
  });

  test.each(['', '.', '..'])('with the id %j is refused before it is sent', (id) => {
    expect(() => client().customers.retrieve(id)).toThrow(TypeError);
    expect(received).toEqual([]);
  });

  test.each([undefined, '', 'key with spaces'])('with the key %j is refused', (key) => {
    const options = { apiKey: key as string };
    expect(() => client(options)).toThrow(new TypeError('apiKey is not valid'));
  });

  test('has each header once, in any case of its name', async () => {
    answers = () => [200, {}];
    const headers = { 'Idempotency-Key': 'own', 'Content-Type': 'application/json' };
    const more = { ...headers, Authorization: 'Bearer other' };
    await client({ headers: more }).customers.create({ email: 'a@example.com' }, { headers: more });
    expect(received).toMatchObject([
      {
        headers: {
          'idempotency-key': 'own',
          'content-type': 'application/json',
          authorization: `Bearer ${apiKey}`,
        },
      },
    ]);
  });

  test('returns JSON and its response', async () => {
    inTurn([200, { id: 'c1' }, { 'x-request-id': 'r', 'trace-id': 't' }]);
    const customer = await client().customers.retrieve('c1');
    expect(JSON.stringify(customer)).toBe('{"id":"c1"}');
    expect(customer.response).toMatchObject({
      status: 200,
      requestId: 'r',
      traceId: 't',
      replayed: false,
    });
  });

  test('returns bytes for other content types, and nothing for an empty answer', async () => {
    inTurn([200, '%PDF', { 'content-type': 'application/pdf' }], [204]);
    const pdf: unknown = await client().invoices.retrievePdf('i1');
    expect(pdf).toEqual(new Uint8Array(Buffer.from('"%PDF"')));
    await expect(client().meters.delete('m1')).resolves.toBeUndefined();
  });
});

describe('a failure', () => {
  const attempts = (): number => received.length;

  test.each<[string, FakeAnswer]>([
    ['408', [408, {}, noWait]],
    ['429', [429, {}, noWait]],
    ['500', [500, {}, noWait]],
    ['502', [502, {}, noWait]],
    ['503', [503, {}, noWait]],
    ['504', [504, {}, noWait]],
    ['409 of a key in use', [409, {}, { ...noWait, 'error-code': 'idempotency_key_in_use' }]],
    ['a lost connection', 'cut'],
  ])('%s is tried again under the same idempotency key', async (_name, failure) => {
    inTurn(failure, [201, { id: 'c1' }]);
    expect(await client().customers.create({ email: 'a@example.com' })).toEqual({ id: 'c1' });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([400, 401, 403, 404, 409, 412, 422])('%s is not tried again', async (status) => {
    inTurn([status, { error: 'No' }]);
    await expect(client().customers.retrieve('c1')).rejects.toMatchObject({ status });
    expect(attempts()).toBe(1);
  });

  test('names refused fields, code and ids of the request, but never the key', async () => {
    inTurn([
      400,
      { error: { email: ['Invalid email'], name: ['Required'] } },
      { 'error-code': 'invalid_request', 'x-request-id': 'r', 'trace-id': 't' },
    ]);
    const error = await client()
      .customers.create({ email: 'x' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BillingError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: 'email: Invalid email; name: Required',
      fields: { email: ['Invalid email'], name: ['Required'] },
      requestId: 'r',
      traceId: 't',
    });
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey);
  });

  test('keeps status and request id where a proxy answers with a page', async () => {
    inTurn([403, new Text('<html>Blocked</html>'), { 'x-request-id': 'r' }]);
    const call = client().customers.retrieve('c1');
    await expect(call).rejects.toMatchObject({
      name: 'BillingError',
      status: 403,
      requestId: 'r',
      message: 'The API answered 403',
    });
    expect(attempts()).toBe(1);
  });

  test('is a redirect: the key goes to the address of the client alone', async () => {
    answers = () => [302, undefined, { location: '/v1/customers/c2' }];
    const modes: unknown[] = [];
    const record: typeof fetch = async (input, init) => {
      modes.push(init?.redirect);
      return await fetch(input, init);
    };
    const call = client({ fetch: record }).customers.retrieve('c1');
    await expect(call).rejects.toMatchObject({ name: 'BillingError', status: 302 });
    expect(attempts()).toBe(1);
    // Workers refuse a request with the mode error before it is sent.
    expect(modes).toEqual(['manual']);
  });

  test('of the connection is thrown after all attempts, without the key', async () => {
    answers = () => 'cut';
    const billing = client({ maxRetries: 1 });
    const error = await billing.customers.retrieve('c1').then(undefined, (one: unknown) => one);
    expect(error).toBeInstanceOf(BillingConnectionError);
    expect(error).toMatchObject({ attempts: 2 });
    expect(inspect([error, billing], { depth: 9, showHidden: true })).not.toContain(apiKey);
  });

  test('a timeout throws BillingTimeoutError', async () => {
    answers = () => 'hang';
    const billing = client({ maxRetries: 0, timeoutMs: 50 });
    await expect(billing.customers.retrieve('c1')).rejects.toBeInstanceOf(BillingTimeoutError);
  });

  test('is waited for until the signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('No longer needed');
    answers = () => {
      setTimeout(() => {
        controller.abort(reason);
      }, 50);
      return [503, {}, { 'retry-after': '60' }];
    };
    const call = client().customers.retrieve('c1', { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
    expect(attempts()).toBe(1);
  });

  test('504 of a clock advance does not count', async () => {
    answers = () => (received.length < 7 ? [504, {}, noWait] : [200, { processed: 3 }]);
    const advanced = await client({ maxRetries: 1 }).sandboxes.advance({
      to: '2026-02-01T00:00:00Z',
    });
    expect(advanced).toMatchObject({ processed: 3 });
  });

  test('a timeout of a clock advance does not count, and keeps its key', async () => {
    answers = () => (received.length < 3 ? 'hang' : [200, { processed: 3 }]);
    const billing = client({ maxRetries: 0, timeoutMs: 100 });
    const advanced = await billing.sandboxes.advance({ to: '2026-02-01T00:00:00Z' });
    expect(advanced).toMatchObject({ processed: 3 });
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

describe('a list', () => {
  const ids = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => ({ id: `c${String(from - index)}` }));

  test('that is awaited is one page', async () => {
    inTurn([200, { data: ids(2, 1), total: 2, page: 1, perPage: 20 }]);
    const { data, total } = await client().customers.list({ email: 'a@example.com' });
    expect([data.length, total]).toEqual([2, 2]);
    expect(received).toMatchObject([{ url: '/v1/customers?email=a%40example.com' }]);
  });

  test('passes each item once while others are created', async () => {
    let newest = 250;
    answers = ({ url }) => {
      const page = Number(new URL(url, 'http://a').searchParams.get('page'));
      const all = ids(newest, 1);
      newest += 30;
      const data = all.slice((page - 1) * 100, page * 100);
      return [200, { data, total: all.length, page, perPage: 100 }];
    };
    const passed: string[] = [];
    for await (const { id } of client().customers.list()) passed.push(id);
    expect(passed).toEqual(ids(250, 1).map(({ id }) => id));
  });

  test('without pages is the answer itself', async () => {
    answers = () => [200, [{ id: 'm1' }]];
    expect([...(await client().meters.list())]).toEqual([{ id: 'm1' }]);
    const passed: string[] = [];
    for await (const { id } of client().meters.list()) passed.push(id);
    expect(passed).toEqual(['m1']);
  });

  test('of the feed passes every event', async () => {
    answers = ({ url }) => {
      const after = Number(new URL(url, 'http://a').searchParams.get('after') ?? 0);
      const positions = [after + 1, after + 2].filter((position) => position <= 5);
      const data = positions.map((position) => ({ position }));
      return [200, { data, nextAfter: String(positions.at(-1) ?? after) }];
    };
    const passed: number[] = [];
    for await (const { position } of client().webhookEvents.list()) passed.push(position);
    expect(passed).toEqual([1, 2, 3, 4, 5]);
  });

  test('of some types of the feed passes events beyond pages that have none of them', async () => {
    answers = ({ url }) => {
      const after = new URL(url, 'http://a').searchParams.get('after');
      const next = { 0: '20000', 20_000: '40000' }[after ?? ''] ?? '40001';
      const data = after === '40000' ? [{ position: 40_001 }] : [];
      return [200, { data, nextAfter: next, newest: '40001' }];
    };
    const passed: number[] = [];
    const events = client().webhookEvents.list({ after: '0', types: 'customer.deleted' });
    for await (const { position } of events) passed.push(position);
    expect(passed).toEqual([40_001]);
    expect(received.length).toBe(3);
  });

  test('of balances passes one once that changes during the loop', async () => {
    const balance = (customerId: string, amount: number) => ({
      ...{ customerId, currency: 'USD', amount },
    });
    inTurn(
      [200, { data: [balance('c2', 5), balance('c1', 1)], total: 3, page: 1, perPage: 2 }],
      [200, { data: [balance('c1', 9)], total: 3, page: 2, perPage: 2 }],
    );
    const passed: string[] = [];
    for await (const { customerId } of client().balances.list()) passed.push(customerId);
    expect(passed).toEqual(['c2', 'c1']);
  });
});
