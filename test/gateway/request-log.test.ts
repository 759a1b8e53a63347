import { instant, product, uuid } from '../support/patterns';
import { card, Payer } from '../support/payer';
import { sendRaw } from './raw-http';
import { logsOf, sendLastRequest } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// Part of every sent value; no log may contain it.
const mark = 'sEcReT7391';

let system: OwnTestSystem;
let secrets: string[];

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  secrets = [mark, '4242424242424242', '4242 4242', ...(await sendSecrets())];
  await sendLastRequest(system);
});

afterAll(async () => {
  await system.stop();
});

async function send(path: string, headers: Record<string, string>, body?: string): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  await (
    await fetch(`${system.gatewayUrl}${path}`, { method, headers, body: body ?? null })
  ).arrayBuffer();
}

/** Sends secrets in every part of a request; returns those that the system itself generated. */
async function sendSecrets(): Promise<string[]> {
  const { sandbox, sandboxKey, live } = system;
  const made = (path: string, body: object) => sandbox.expect(201, sandbox.post(path, body));
  const address = `${mark}@example.com`;
  const customer = await made('/customers', { email: address, name: mark, metadata: { mark } });
  const sold = await made('/products', { ...product, name: mark });
  const { secret } = await made('/webhook-endpoints', {
    url: `https://example.com/?key=${mark}`,
    active: false,
  });
  const session = await made('/checkout', {
    customerId: customer.id,
    productId: sold.id,
    successUrl: `https://example.com/?key=${mark}`,
  });
  const other = await made('/api-keys', { name: mark });
  await payFor(session.checkoutUrl);
  await sendToApi(sandboxKey);
  await sendWithoutKey();
  return [live.key ?? '', sandboxKey, secret, other.key, tokenOf(session.checkoutUrl)];
}

const tokenOf = (url: string) => new URL(url).pathname.split('/').at(-1) ?? '';

async function payFor(url: string): Promise<void> {
  const payer = new Payer(system.gatewayUrl);
  const page = await payer.open(`${url}?${mark}=${mark}`);
  // A card that is declined, then one that is good.
  const declined = card('4000000000000002');
  await payer.submit(page, { ...declined, 'cc-name': mark });
  await payer.submit(await payer.open(url), { ...card(), 'cc-name': mark });
}

async function sendToApi(key: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Cookie: `session=${mark}`,
    'X-Api-Key': mark,
    'User-Agent': mark,
    Referer: `https://example.com/${mark}`,
    'X-Request-Id': `not an id ${mark}`,
    traceparent: mark,
    'If-Match': `"${mark}"`,
    'Idempotency-Key': mark,
  };
  await send(`/v1/customers?email=${mark}@example.com&${mark}=1`, headers);
  await send(`/v1/customers/${mark}`, headers);
  await send(`/v1/${mark}`, headers);
  await send('/v1/customers', headers, JSON.stringify({ email: mark, [mark]: mark }));
  await send('/v1/customers', headers, `{"email": "${mark}`);
  await send('/v1/customers', { ...headers, 'Content-Type': mark }, mark);
  await send('/v1/events/ingest', headers, JSON.stringify({ events: [{ customerId: mark }] }));
  await send('/v1/discounts/validate', headers, JSON.stringify({ code: mark }));
}

async function sendWithoutKey(): Promise<void> {
  const token = mark.padEnd(43, 'x');
  for (const authorization of [`Bearer billing_live_${mark}`, `Basic ${mark}`, mark]) {
    await send('/v1/customers', { Authorization: authorization });
  }
  for (const path of [`/${mark}`, `/%ff${mark}`, `/checkout/${token}`, `/invoice/${token}/${mark}`])
    await send(path, {});
  await send(`/provider-events/${mark}`, { 'Stripe-Signature': mark }, mark);
  await send('/provider-events/stripe', { 'Stripe-Signature': mark }, mark);
  for (const bytes of [`${mark} / HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\n${mark}\r\n\r\n`]) {
    await sendRaw(system.gatewayUrl, bytes);
  }
}

test('no log of any service contains a secret, an address or a value of a caller', async () => {
  const found: string[] = [];
  for (const [service, text] of await logsOf(system)) {
    for (const line of text.split('\n')) {
      const held = secrets.filter((secret) => line.includes(secret));
      if (held.length > 0) found.push(`${service}: ${held.join()}: ${line}`);
    }
  }
  expect(found).toEqual([]);
});

test('every request has one line that names the operation and the caller', async () => {
  const requests = linesOf(await logsOf(system), 'request');
  for (const line of requests) {
    const { environmentId, apiKeyId, ...rest } = line;
    expect(rest).toEqual({
      level: 'info',
      time: expect.stringMatching(instant),
      service: 'gateway',
      msg: 'request',
      request_id: expect.any(String),
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      method: expect.stringMatching(/^[A-Z]+$/),
      route: expect.stringMatching(/^\/[\w/:*.-]*$/),
      status: expect.any(Number),
      durationMs: expect.any(Number),
    });
    const isKeyed = /^\/v1/.test(line.route) && line.status !== 401;
    expect([environmentId, apiKeyId].map((id) => uuid.test(id ?? ''))).toEqual(
      isKeyed ? [true, true] : [environmentId !== undefined, false],
    );
  }
  const routes = requests.map(({ route, status }) => `${route} ${String(status)}`);
  expect(routes).toEqual(
    expect.arrayContaining([
      '/v1/customers 200',
      '/v1/customers 400',
      '/v1/customers 401',
      '/v1/customers 415',
      '/v1/customers/:id 404',
      '/v1/* 404',
      '/checkout/:token 200',
      '/checkout/:token 404',
      '/provider-events/:provider 404',
      '/* 404',
    ]),
  );
  const ids = requests.map(({ request_id }) => request_id as string);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a connection that never became a request has a line too', async () => {
  const refused = linesOf(await logsOf(system), 'request refused');
  expect(refused).toHaveLength(2);
  for (const { status, code, request_id: id } of refused) {
    expect([status, code, uuid.test(id)]).toEqual([400, 'invalid_request', true]);
  }
});

function linesOf(all: Map<string, string>, message: string): any[] {
  const lines = (all.get('gateway') ?? '').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}
