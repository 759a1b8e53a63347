import { RawConnection, sendRaw } from './raw-http';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// Longer than a busy machine pauses between a connection and its first bytes.
const headersMs = 5_000;
const requestMs = 7_000;
// Slow callers are checked once a second, and this machine may be busy.
const lateMs = 60_000;

let system: OwnTestSystem;
let key: string;

beforeAll(async () => {
  system = await startTestSystem({
    ownProcess: true,
    gateway: {
      HTTP_HEADERS_TIMEOUT_MS: String(headersMs),
      HTTP_REQUEST_TIMEOUT_MS: String(requestMs),
      HSTS_MAX_AGE_SECONDS: '31536000',
    },
  });
  key = system.live.key ?? '';
});

afterAll(async () => {
  await system.stop();
});

const send = (bytes: string) => sendRaw(system.gatewayUrl, bytes);
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const authorized = () => `Authorization: Bearer ${key}`;
const close = 'Connection: close';
const json = 'Content-Type: application/json';

describe('a caller that is too slow', () => {
  test.each([
    ['says nothing', '', ''],
    ['drips its request line', 'GET /v1/customers?', 'a'],
    ['drips its headers', 'GET /v1/customers HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
  ])('and %s is cut off with 408', async (_how, start, drop) => {
    const connection = await RawConnection.open(system.gatewayUrl);
    connection.send(start);
    if (drop !== '') connection.drip(drop, 100);
    const { statuses, headers, body, afterMs } = await connection.answer();
    expect(statuses).toEqual([408]);
    expect(headers).toMatchObject({
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'error-code': 'timed_out',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['x-request-id']).toBeDefined();
    expect(JSON.parse(body)).toEqual({ error: 'Timed out' });
    expect(afterMs).toBeGreaterThan(headersMs * 0.9);
    expect(afterMs).toBeLessThan(headersMs + lateMs);
  });

  test.each([
    ['with a length', ['Content-Length: 100000'], ' '],
    ['in chunks', ['Transfer-Encoding: chunked'], '1\r\n \r\n'],
  ])('and drips a body %s is cut off with 408', async (_how, framing, drop) => {
    const connection = await RawConnection.open(system.gatewayUrl);
    const { headers } = { headers: ['Host: x', authorized(), json, ...framing] };
    connection.send(lines('POST /v1/customers HTTP/1.1', ...headers));
    connection.drip(drop, 100);
    const { statuses, body, afterMs } = await connection.answer();
    expect(statuses).toEqual([408]);
    expect(JSON.parse(body)).toEqual({ error: 'Timed out' });
    expect(afterMs).toBeGreaterThan(requestMs * 0.9);
    expect(afterMs).toBeLessThan(requestMs + lateMs);
  });

  test('delays no other caller', async () => {
    const slow = await Promise.all(
      Array.from({ length: 200 }, () => RawConnection.open(system.gatewayUrl)),
    );
    for (const connection of slow) {
      connection.send('GET /v1/customers HTTP/1.1\r\nHost: x\r\n');
      connection.drip('X-A: b\r\n', 300);
    }
    const { status } = await system.live.get('/customers');
    expect(status).toBe(200);
    const answers = await Promise.all(slow.map((connection) => connection.answer()));
    expect(new Set(answers.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
  });
});

describe('bytes that are not an HTTP request', () => {
  const get = 'GET /v1/customers HTTP/1.1';
  test.each<[string, string, number, string]>([
    ['no HTTP', 'hello\r\n\r\n', 400, 'Malformed request'],
    ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'Malformed request'],
    ['an unknown method', lines('BREW / HTTP/1.1', 'Host: x'), 400, 'Malformed request'],
    ['an unknown version', lines('GET / HTTP/9.9', 'Host: x'), 400, 'Malformed request'],
    ['a null byte in the path', lines('GET /\0 HTTP/1.1', 'Host: x'), 400, 'Malformed request'],
    ['a null byte in a header', lines(get, 'Host: x', 'X-A: \0'), 400, 'Malformed request'],
    ['a header without a name', lines(get, 'Host: x', ': a'), 400, 'Malformed request'],
    ['a space before the colon', lines(get, 'Host : x'), 400, 'Malformed request'],
    ['a folded header', lines(get, 'Host: x', 'X-A: a', '\tb'), 400, 'Malformed request'],
    ['bare line feeds', `${get}\nHost: x\nContent-Length: 5\n\nhello`, 400, 'Malformed request'],
    [
      'headers beyond 16 KiB',
      lines(get, 'Host: x', `X-A: ${'a'.repeat(20_000)}`),
      431,
      'Request headers too large',
    ],
    [
      'an address beyond 16 KiB',
      lines(`GET /v1/customers?${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x'),
      431,
      'Request headers too large',
    ],
    [
      'many headers',
      lines(get, 'Host: x', ...Array.from({ length: 3_000 }, (_, i) => `X-${String(i)}: a`)),
      431,
      'Request headers too large',
    ],
    [
      'two lengths',
      lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3'),
      400,
      'Malformed request',
    ],
    [
      'a list of lengths',
      lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Content-Length: 2, 2'),
      400,
      'Malformed request',
    ],
    [
      'a negative length',
      lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Content-Length: -1'),
      400,
      'Malformed request',
    ],
    [
      'a length and chunks',
      `${lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Content-Length: 6', 'Transfer-Encoding: chunked')}0\r\n\r\nG`,
      400,
      'Malformed request',
    ],
    [
      'chunks and a length',
      `${lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Content-Length: 6')}0\r\n\r\nG`,
      400,
      'Malformed request',
    ],
    [
      'an unknown coding',
      lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Transfer-Encoding: cow'),
      400,
      'Malformed request',
    ],
    [
      'a coding behind chunks',
      lines('POST /v1/customers HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked, identity'),
      400,
      'Malformed request',
    ],
    ['no host', lines(get), 400, 'The header Host is required'],
    ['two hosts', lines(get, 'Host: x', 'host: y'), 400, 'The header Host must appear only once'],
    [
      'an unknown expectation',
      lines(get, 'Host: x', 'Expect: a-miracle', 'Content-Length: 1'),
      417,
      'Expectation failed',
    ],
  ])('with %s get one error, and the connection ends', async (_what, bytes, status, error) => {
    const answer = await send(bytes);
    expect(answer.statuses).toEqual([status]);
    expect(JSON.parse(answer.body)).toEqual({ error });
    expect(answer.headers).toMatchObject({
      connection: 'close',
      'error-code': status === 431 ? 'request_too_large' : 'invalid_request',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  test('in the middle of a body end the connection', async () => {
    const headers = ['Host: x', authorized(), json, 'Transfer-Encoding: chunked'];
    const answer = await send(`${lines('POST /v1/customers HTTP/1.1', ...headers)}zz\r\n`);
    expect(answer.statuses).toEqual([400]);
  });

  test('after a request do not replace its response', async () => {
    const { statuses, text } = await send(
      `${lines('GET /v1/customers HTTP/1.1', 'Host: x', authorized())}rubbish\r\n\r\n`,
    );
    expect(statuses.at(0)).toBe(200);
    expect(text.indexOf('"data"')).toBeLessThan(text.indexOf('Malformed request'));
  });

  test('asking for a tunnel get none', async () => {
    expect((await send(lines('CONNECT example.com:443 HTTP/1.1', 'Host: x'))).statuses).toEqual([]);
  });
});

describe('unusual requests', () => {
  const ask = (path: string, ...headers: string[]) =>
    send(lines(`GET ${path} HTTP/1.1`, 'Host: x', authorized(), close, ...headers));

  test('of HTTP/1.0 are answered without a host, and the connection ends', async () => {
    const { statuses, headers } = await send(lines('GET /healthz HTTP/1.0'));
    expect(statuses).toEqual([200]);
    expect(headers.connection).toBe('close');
  });

  test('in one packet are answered one after the other', async () => {
    const one = lines('GET /healthz HTTP/1.1', 'Host: x');
    const two = lines('GET /v1/customers HTTP/1.1', 'Host: x', close);
    expect((await send(`${one}${one}${two}`)).statuses).toEqual([200, 200, 401]);
  });

  test('that ask for a protocol upgrade are answered in HTTP/1.1', async () => {
    const { statuses } = await ask('/healthz', 'Upgrade: websocket');
    expect(statuses).toEqual([200]);
  });

  test.each([
    ['/v1/customers/%00', 404],
    ['/v1/customers/%ff', 404],
    ['/v1/customers/%', 404],
    ['/v1/customers/%2e%2e/products', 404],
    ['/v1/customers/..%2fproducts', 404],
    ['/v1/../openapi.json', 404],
    ['/../../etc/passwd', 404],
    ['/docs/../../package.json', 404],
    ['//example.com/v1/customers', 404],
    ['http://example.com/v1/nothing', 404],
    ['/V1/customers', 404],
    ['/v1/customers/', 404],
    [`/v1/customers/${'a'.repeat(10_000)}`, 404],
    ['/v1/customers?page=%00', 400],
    ['/v1/customers?email=%ff%fe', 200],
    ['/v1/customers?__proto__[a]=b', 200],
    ['/v1/customers?page=1&page=2', 400],
  ])('for %s are answered %d', async (path, status) => {
    const { statuses, headers, body } = await ask(path);
    expect(statuses).toEqual([status]);
    if (status >= 400) expect(headers['error-code']).toBeDefined();
    expect(body).not.toMatch(/root:|node_modules|\.ts\b|at .*\(/);
  });

  test.each(['TRACE', 'OPTIONS', 'PUT', 'PROPFIND', 'PURGE'])(
    'with the unsupported method %s are 405',
    async (method) => {
      const head = [`${method} /v1/customers HTTP/1.1`, 'Host: x', authorized(), close];
      const { statuses, headers, body } = await send(lines(...head, 'X-Secret: mirrored'));
      expect([statuses, headers.allow]).toEqual([[405], 'POST, GET, HEAD']);
      expect(body).not.toContain('mirrored');
    },
  );
});

describe('every response', () => {
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'strict-transport-security': 'max-age=31536000',
  };
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${system.gatewayUrl}${path}`, { headers });
    await answer.arrayBuffer();
    return { status: answer.status, headers: Object.fromEntries(answer.headers) };
  };
  const withKey = () => ({ Authorization: `Bearer ${key}` });

  test.each<[string, number, boolean]>([
    ['/v1/customers', 200, true],
    ['/v1/customers', 401, false],
    ['/v1/customers/nothing', 404, true],
    ['/v1/customers?page=0', 400, true],
    ['/healthz', 200, false],
    ['/nothing', 404, false],
  ])('of the API has the security headers: %s %d', async (path, status, hasKey) => {
    const answer = await get(path, hasKey ? withKey() : {});
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      ...everywhere,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(answer.headers).not.toHaveProperty('x-powered-by');
    expect(answer.headers).not.toHaveProperty('server');
  });

  test('of a page has them, too', async () => {
    const { status, headers } = await get(`/checkout/${'x'.repeat(43)}`);
    expect(status).toBe(404);
    expect(headers).toMatchObject({ ...everywhere, 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  test.each(['/docs', '/openapi.json'])('of %s may be cached and revalidated', async (path) => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({ ...everywhere, 'cache-control': 'no-cache' });
  });

  test('cannot be read by another origin', async () => {
    const asked = { Origin: 'https://evil.example', ...withKey() };
    for (const path of ['/v1/customers', '/openapi.json', '/healthz']) {
      const names = Object.keys((await get(path, asked)).headers);
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    const preflight = await fetch(`${system.gatewayUrl}/v1/customers`, {
      method: 'OPTIONS',
      headers: { ...asked, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});
