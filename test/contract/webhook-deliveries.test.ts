import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
  withoutRepeats,
} from '../support/webhook-receiver';

const longAgo = '2020-01-01T00:00:00Z';

const keyed = (key: string) => ({ 'Idempotency-Key': key });

let system: TestSystem;
let api: ApiClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  system = await joinTestSystem();
});

// A receiver for each test: webhooks of the one before may still arrive.
beforeEach(async () => {
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  receiver = await startWebhookReceiver();
});

afterEach(async () => {
  await receiver.close();
});

/** Registers the receiver; returns its secret and the path of all its resources. */
async function register(
  settings: object = {},
): Promise<{ id: string; path: string; secret: string }> {
  const body = { url: receiver.url, ...settings };
  const { id, secret } = await api.expect(201, api.post('/webhook-endpoints', body));
  return { id, secret, path: `/webhook-endpoints/${String(id)}` };
}

async function subscribe(): Promise<string> {
  const create = (path: string, body: object) => api.expect(201, api.post(path, body));
  const customer = await create('/customers', { email: 'a@b.co', currency: 'EUR' });
  const sold = await create('/products', product);
  const authorizedTransactionId = 'txn_webhooks';
  const input = { customerId: customer.id, productId: sold.id, authorizedTransactionId };
  return (await create('/subscriptions', input)).id;
}

function eventuallyListed(path: string, statuses: readonly string[]): Promise<any[]> {
  return eventually(async () => {
    const { data, total } = await api.expect(200, api.get(`${path}/deliveries`));
    expect(data.map(({ status }: { status: string }) => status)).toEqual(statuses);
    expect(total).toBe(statuses.length);
    return data;
  });
}

function eventuallyReceived(count: number): Promise<ReceivedWebhook[]> {
  return eventually(() => {
    const received = withoutRepeats(receiver.received);
    expect(received).toHaveLength(count);
    return received;
  });
}

const setActive = (path: string, active: boolean) =>
  api.expect(200, api.request('PATCH', path, { body: { active } }));

test('the webhooks of an endpoint are listed newest first, page by page, with each attempt', async () => {
  const { path } = await register();
  expect((await api.get(`${path}/deliveries`)).body).toEqual({
    data: [],
    total: 0,
    page: 1,
    perPage: 20,
  });
  const subscriptionId = await subscribe();
  const data = await eventuallyListed(path, ['DELIVERED', 'DELIVERED']);
  const received = await eventuallyReceived(2);
  const attempt = {
    at: expect.stringMatching(instant),
    durationMs: expect.any(Number),
    responseStatus: 204,
    responseBody: '',
    error: null,
  };
  // Those of one instant are listed in any order.
  expect(data.toSorted((a, b) => a.sequence - b.sequence)).toEqual(
    received.map(({ body }) => ({
      id: expect.stringMatching(uuid),
      messageId: body.id,
      type: body.type,
      subscriptionId,
      subjectType: 'subscription',
      subjectId: subscriptionId,
      sequence: body.sequence,
      status: 'DELIVERED',
      attempts: [attempt],
      nextAttemptAt: null,
      createdAt: expect.stringMatching(instant),
    })),
  );
  // In real time, independent of the environment's clock.
  expect(Date.parse(data[0].createdAt)).toBeGreaterThan(Date.parse('2026-02-01'));
  for (const [query, expected] of [
    ['page=1&perPage=1', { data: [data[0]], total: 2, page: 1, perPage: 1 }],
    ['page=2&perPage=1', { data: [data[1]], total: 2, page: 2, perPage: 1 }],
    ['page=9&perPage=100', { data: [], total: 2, page: 9, perPage: 100 }],
  ] as const) {
    expect((await api.get(`${path}/deliveries?${query}`)).body).toEqual(expected);
  }
});

test.each(['page=0', 'page=', 'page=1.5', 'perPage=0', 'perPage=101', 'perPage=x'])(
  'a list of deliveries with %s is refused',
  async (query) => {
    const { path } = await register();
    const { error } = await api.expect(400, api.get(`${path}/deliveries?${query}`));
    expect(Object.keys(error)).toEqual([query.split('=')[0]]);
  },
);

describe('the header prefix of an endpoint', () => {
  test('determines the headers of type and signature, from the next webhook on', async () => {
    const { path } = await register();
    const changed = await api.expect(
      200,
      api.request('PATCH', path, { body: { headerPrefix: 'Acme-Pay' } }),
    );
    expect(changed).toMatchObject({ headerPrefix: 'Acme-Pay' });
    await api.post(`${path}/test`);
    const [webhook] = await eventuallyReceived(1);
    expect(webhook?.headers).toMatchObject({
      'acme-pay-event': 'webhook_endpoint.test',
      'acme-pay-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(webhook?.headers).not.toHaveProperty('billing-signature');
    expect((await api.request('PATCH', path, { body: { headerPrefix: null } })).status).toBe(400);
  });
});

describe('a test webhook of an endpoint', () => {
  test('is limited to ten per minute, retries included', async () => {
    const [one, other] = [await register(), await register()];
    const startedMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post(`${one.path}/test`)),
    );
    const refused = answers.filter(({ status }) => status !== 202);
    // On a slow machine another minute may have begun; the store's test is exact.
    const isOneMinute = performance.now() - startedMs < 50_000;
    if (isOneMinute) expect(refused).toHaveLength(10);
    for (const { status, body, headers } of refused) {
      expect([status, body]).toEqual([429, { error: 'Too many requests' }]);
      const retryAfter = Number(headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
    }
    const [tested] = answers.filter(({ status }) => status === 202);
    const { deliveryId } = tested!.body as { deliveryId: string };
    const retried = await api.post(`${one.path}/deliveries/${deliveryId}/retry`);
    if (performance.now() - startedMs < 50_000) expect(retried.status).toBe(429);
    expect((await api.post(`${other.path}/test`)).status).toBe(202);
  });

  test('is sent, signed and listed like every webhook, and refers to the endpoint alone', async () => {
    const { id, path } = await register();
    const answer = await api.post(`${path}/test`);
    expect([answer.status, answer.body]).toEqual([
      202,
      { deliveryId: expect.stringMatching(uuid) },
    ]);
    const [webhook] = await eventuallyReceived(1);
    expect(webhook?.body).toEqual({
      id: webhook?.headers['webhook-id'],
      type: 'webhook_endpoint.test',
      timestamp: '2026-01-31T00:00:00.000Z',
      webhookEndpointId: id,
      data: { webhookEndpointId: id },
    });
    expect(webhook?.headers).toMatchObject({
      'billing-event': 'webhook_endpoint.test',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'billing-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    });
    const [listed] = await eventuallyListed(path, ['DELIVERED']);
    expect(listed).toMatchObject({
      id: answer.body.deliveryId,
      type: 'webhook_endpoint.test',
      subscriptionId: null,
      subjectType: null,
      subjectId: null,
      sequence: null,
    });
    expect((await api.get(`${path}/gaps`)).body).toEqual([]);
  });

  test('with an Idempotency-Key is sent once', async () => {
    const { path } = await register();
    const first = await api.post(`${path}/test`, {}, keyed('test'));
    const again = await api.post(`${path}/test`, {}, keyed('test'));
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await eventuallyListed(path, ['DELIVERED']);
    expect((await api.post(`${path}/test`, { other: 1 }, keyed('test'))).status).toBe(422);
  });
});

describe('a rotated secret', () => {
  test('is shown once and signs together with the previous one, in both headers', async () => {
    const { id, path, secret: before } = await register();
    const etag = (await api.get(path)).headers.get('etag');
    const answer = await api.post(`${path}/rotate-secret`);
    const { secret, ...shown } = answer.body;
    expect(answer.status).toBe(200);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(before);
    const after = await api.get(path);
    expect(after.body).toEqual(shown);
    expect(shown.id).toBe(id);
    expect(answer.headers.get('etag')).toBe(after.headers.get('etag'));
    expect(after.headers.get('etag')).not.toBe(etag);
    await api.post(`${path}/test`);
    const [webhook] = await eventuallyReceived(1);
    expect(webhook?.headers).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1,[^ ]{44} v1,[^ ]{44}$/),
      'billing-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/),
    });
  });

  test('is null in an idempotent replay, which creates no third one', async () => {
    const { path } = await register();
    const first = await api.post(`${path}/rotate-secret`, {}, keyed('rotation'));
    const again = await api.post(`${path}/rotate-secret`, {}, keyed('rotation'));
    expect([again.status, again.body]).toEqual([200, { ...first.body, secret: null }]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await api.post(`${path}/test`);
    const [webhook] = await eventuallyReceived(1);
    expect(String(webhook?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  test('of another version than the one in If-Match is 412', async () => {
    const { path } = await register();
    const headers = { 'If-Match': '"1"' };
    expect((await api.post(`${path}/rotate-secret`, {}, headers)).status).toBe(200);
    const stale = await api.post(`${path}/rotate-secret`, {}, headers);
    expect([stale.status, stale.body]).toEqual([412, { error: 'Stale version' }]);
  });

  test('can be created nine times a day at most', async () => {
    const { path } = await register();
    for (let time = 1; time <= 9; time += 1) {
      await api.expect(200, api.post(`${path}/rotate-secret`));
    }
    const tenth = await api.post(`${path}/rotate-secret`);
    expect([tenth.status, tenth.headers.get('error-code')]).toEqual([409, 'conflict']);
  });
});

describe('the undelivered events of an endpoint', () => {
  test('that was inactive stay PAUSED, are listed as gaps, and are sent by a replay in order', async () => {
    const { path } = await register({ active: false });
    const subscriptionId = await subscribe();
    await eventuallyListed(path, ['PAUSED', 'PAUSED']);
    const gaps = await api.get(`${path}/gaps?since=${longAgo}`);
    const subject = {
      ...{ subscriptionId, checkoutSessionId: null },
      ...{ subjectType: 'subscription', subjectId: subscriptionId },
    };
    expect([gaps.status, gaps.body]).toEqual([200, [{ ...subject, missing: [1, 2] }]]);
    expect((await api.get(`${path}/gaps`)).body).toEqual(gaps.body);
    expect((await api.get(`${path}/gaps?since=2099-01-01T00:00:00Z`)).body).toEqual([]);

    await setActive(path, true);
    expect((await api.post(`${path}/replay`, { since: '2099-01-01T00:00:00Z' })).body).toEqual({
      count: 0,
    });
    const answer = await api.post(`${path}/replay`, { since: longAgo }, keyed('replay'));
    expect([answer.status, answer.body]).toEqual([202, { count: 2 }]);
    await eventuallyListed(path, ['DELIVERED', 'DELIVERED']);
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2]);
    const again = await api.post(`${path}/replay`, { since: longAgo }, keyed('replay'));
    expect([again.status, again.body]).toEqual([202, { count: 2 }]);
    expect((await api.post(`${path}/replay`, { since: longAgo })).body).toEqual({ count: 0 });
    await eventually(async () => {
      expect((await api.get(`${path}/gaps`)).body).toEqual([]);
    });
    expect(receiver.received).toHaveLength(2);
    const all = await api.post(`${path}/replay`, { since: longAgo, all: true });
    expect([all.status, all.body]).toEqual([202, { count: 2 }]);
    await eventually(() => {
      expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2, 1, 2]);
    });
  });

  test('are retried one by one with the same id and bytes', async () => {
    const { path } = await register();
    receiver.respond = () => 410;
    await api.post(`${path}/test`);
    const [failed] = await eventuallyListed(path, ['FAILED']);
    const retry = `${path}/deliveries/${String(failed.id)}/retry`;
    await eventually(async () => {
      expect((await api.get(path)).body).toMatchObject({ active: false });
    });
    const refused = await api.post(retry);
    expect([refused.status, refused.headers.get('error-code')]).toEqual([409, 'conflict']);
    receiver.respond = () => 200;
    await setActive(path, true);
    const answer = await api.post(retry);
    expect([answer.status, answer.body]).toMatchObject([202, { id: failed.id }]);
    const [sent, resent] = await eventually(() => {
      expect(receiver.received).toHaveLength(2);
      return receiver.received;
    });
    expect(resent?.text).toBe(sent?.text);
    expect(resent?.headers['webhook-id']).toBe(sent?.headers['webhook-id']);
    await eventually(async () => {
      const [delivery] = (await api.get(`${path}/deliveries`)).body.data;
      expect(delivery).toMatchObject({
        status: 'DELIVERED',
        attempts: [{ responseStatus: 410 }, { responseStatus: 200 }],
      });
    });
  });

  test.each([
    [{}, 'Required'],
    [{ since: null }, 'Required'],
    [{ since: 'yesterday' }, 'Invalid datetime'],
    [{ since: '2026-01-01T00:00:00' }, 'Invalid datetime'],
    [{ since: 1_700_000_000 }, 'Invalid datetime'],
  ])('are not replayed since %j', async (body, message) => {
    const { path } = await register();
    const { error } = await api.expect(400, api.post(`${path}/replay`, body));
    expect(error).toEqual({ since: [message] });
  });

  test.each(['0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59.999-14:00'])(
    'are listed and replayed since %s',
    async (since) => {
      const { path } = await register();
      const gaps = await api.get(`${path}/gaps?since=${encodeURIComponent(since)}`);
      expect([gaps.status, gaps.body]).toEqual([200, []]);
      const replay = await api.post(`${path}/replay`, { since });
      expect([replay.status, replay.body]).toEqual([202, { count: 0 }]);
    },
  );

  test.each(['', 'yesterday', '2026-01-01T00:00:00'])(
    'are not listed since "%s"',
    async (since) => {
      const { path } = await register();
      const { error } = await api.expect(400, api.get(`${path}/gaps?since=${since}`));
      expect(error).toEqual({ since: ['Invalid datetime'] });
    },
  );
});

test.each([
  ['POST', 'test'],
  ['POST', 'replay'],
] as const)('%s …/%s of an endpoint that is not active is 409', async (method, operation) => {
  const { path } = await register({ active: false });
  const answer = await api.request(method, `${path}/${operation}`, { body: { since: longAgo } });
  expect([answer.status, answer.body]).toEqual([
    409,
    { error: 'The webhook endpoint is not active' },
  ]);
});

test.each([
  ['POST', 'test'],
  ['POST', 'rotate-secret'],
  ['GET', 'deliveries'],
  ['POST', `deliveries/${unknownId}/retry`],
  ['POST', 'replay'],
  ['GET', 'gaps'],
] as const)(
  '%s …/%s of an endpoint that is unknown, malformed, deleted or of others is 404',
  async (method, operation) => {
    const { id, path } = await register();
    const deleted = await register();
    await api.delete(deleted.path);
    for (const [client, endpointId] of [
      [api, unknownId],
      [api, 'not-a-uuid'],
      [api, deleted.id],
      [system.sandbox, id],
      [system.live, id],
    ] as const) {
      const answer = await client.request(method, `/webhook-endpoints/${endpointId}/${operation}`, {
        ...(method === 'POST' && { body: { since: longAgo } }),
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Webhook endpoint not found' }]);
      expect(answer.headers.get('error-code')).toBe('webhook_endpoint_not_found');
    }
    expect((await api.request('PATCH', `${path}/${operation}`)).status).toBe(405);
  },
);

test('a delivery that is unknown, malformed or of another endpoint is 404', async () => {
  const { path } = await register();
  const other = await register();
  const { deliveryId } = (await api.post(`${other.path}/test`)).body;
  for (const id of [unknownId, 'not-a-uuid', deliveryId as string]) {
    const answer = await api.post(`${path}/deliveries/${id}/retry`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Webhook delivery not found' }]);
    expect(answer.headers.get('error-code')).toBe('webhook_delivery_not_found');
  }
});
