import { eventually } from '@billing/chassis/testing';
import { logsOf, sendLastRequest } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startTraceCollector, type TraceCollector } from './trace-collector';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

// A batch of spans that the collector does not accept in time is lost: another trace follows.
const traceIds = [
  '0af7651916cd43dd8448eb211c80319c',
  '1bf7651916cd43dd8448eb211c80319c',
  '2cf7651916cd43dd8448eb211c80319c',
] as const;
const otherTraceId = '5b8efff798038103d269b633813fc60c';
// The gateway trusts only its proxy: only this address's traces are continued.
const trusted = { 'X-Forwarded-For': '192.0.2.1' };
const untrusted = { 'X-Forwarded-For': '192.0.2.2' };
// Stands for all personal data.
const mark = 'sesame';

/** Spans that one subscription causes, by their service. */
const expected = [
  ['gateway', /^POST \/v1\/subscriptions$/],
  ['gateway', /^grpc .*SubscriptionService\/CreateSubscription$/],
  ['subscription', /^grpc .*SubscriptionService\/CreateSubscription$/],
  ['subscription', /^grpc .*CustomerService\/GetCustomers$/],
  ['customer', /^grpc .*CustomerService\/GetCustomers$/],
  ['customer', /^mongodb find customers$/],
  ['subscription', /^grpc .*CatalogService\/GetProducts$/],
  ['catalog', /^grpc .*CatalogService\/GetProducts$/],
  ['catalog', /^mongodb find products$/],
  ['subscription', /^mongodb insert subscriptions$/],
  ['subscription', /^command /],
  ['subscription', /^grpc .*CheckoutService\/CreateInvoice$/],
  ['checkout', /^grpc .*CheckoutService\/CreateInvoice$/],
  ['checkout', /^mongodb insert invoices$/],
  ['checkout', /^grpc .*SubscriptionService\/ApplyCollectionResult$/],
  ['subscription', /^grpc .*SubscriptionService\/ApplyCollectionResult$/],
  ['subscription', /^publish subscription\.subscription\.created$/],
  ['notifier', /^consume subscription\.subscription\.created$/],
  ['notifier', /^mongodb insert messages$/],
  ['notifier', /^webhook POST/],
] as const;

describe('one trace', () => {
  let collector: TraceCollector;
  let receiver: WebhookReceiver;
  let system: OwnTestSystem;
  let traced = { traceId: '', subscriptionId: '' };

  beforeAll(async () => {
    collector = await startTraceCollector();
    receiver = await startWebhookReceiver();
    system = await startTestSystem({
      processes: true,
      otlpEndpoint: collector.endpoint,
      gateway: { TRUSTED_PROXIES: 'loopback', TRACE_TRUSTED: '192.0.2.1' },
    });
  });

  afterAll(async () => {
    await system.stop();
    await receiver.close();
    await collector.close();
  });

  const spansOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);

  /** Expects each span that the subscription causes, and the one above each. */
  function expectWhole(traceId: string): void {
    const spans = spansOf(traceId);
    const missing = expected.filter(
      ([service, name]) => !spans.some((span) => span.service === service && name.test(span.name)),
    );
    expect(missing).toEqual([]);
    // A span ends, and is exported, after those below it.
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(
      ({ parentSpanId }) => parentSpanId !== 'b7ad6b7169203331' && !ids.has(parentSpanId ?? ''),
    );
    expect(orphans).toEqual([]);
  }

  test('joins the REST call, each gRPC hop, the database, publish, consume and the webhook POST', async () => {
    const { sandbox } = system;
    await sandbox.expect(201, sandbox.post('/webhook-endpoints', { url: receiver.url }));
    const customer = await sandbox.expect(
      201,
      sandbox.post('/customers', { email: 'a@example.com' }),
    );
    const product = await sandbox.expect(
      201,
      sandbox.post('/products', {
        name: 'Pro',
        type: 'FLAT',
        currency: 'USD',
        amount: 100,
        billingInterval: 'MONTHLY',
      }),
    );
    const subscribe = async (traceId: string) => {
      const answer = await sandbox.post(
        '/subscriptions',
        {
          customerId: customer.id,
          productId: product.id,
          authorizedTransactionId: `txn_4242424242424242_${traceId}`,
        },
        // The flag says that the caller does not record the trace; the gateway decides that itself.
        { ...trusted, traceparent: `00-${traceId}-b7ad6b7169203331-00` },
      );
      expect(answer.status).toBe(201);
      expect(answer.headers.get('trace-id')).toBe(traceId);
      return answer.body.id as string;
    };
    for (const traceId of traceIds) {
      traced = { traceId, subscriptionId: await subscribe(traceId) };
      try {
        await eventually(
          () => {
            expectWhole(traceId);
          },
          { timeoutMs: 60_000 },
        );
        break;
      } catch (error) {
        if (traceId === traceIds.at(-1)) throw error;
      }
    }
    const traces = receiver.received.map(({ headers }) => String(headers.traceparent));
    expect(traces).toContainEqual(expect.stringContaining(traced.traceId));
  });

  test('names the work on an aggregate, its customer and its subscription', async () => {
    const { traceId, subscriptionId } = traced;
    const path = `/subscriptions/${subscriptionId}`;
    const { customerId } = (await system.sandbox.get(path)).body;
    const named = {
      'billing.aggregate': 'subscription',
      'billing.aggregate_id': subscriptionId,
      'billing.sequence': expect.any(Number),
      'billing.customer_id': customerId,
      'billing.subscription_id': subscriptionId,
      'billing.environment_id': expect.any(String),
      'billing.live': false,
    };
    const endpoint = (await system.sandbox.get('/webhook-endpoints')).body.data[0];
    const spans = spansOf(traceId);
    const attributesOf = (service: string, name: RegExp) =>
      spans.find((span) => span.service === service && name.test(span.name))?.attributes;
    expect(attributesOf('subscription', /^command /)).toMatchObject(named);
    expect(attributesOf('subscription', /^publish /)).toMatchObject(named);
    expect(attributesOf('notifier', /^consume subscription/)).toMatchObject(named);
    expect(attributesOf('notifier', /^webhook POST/)).toMatchObject({
      ...named,
      'billing.endpoint_id': endpoint.id,
    });
  });

  test('of an untrusted caller is linked, and its id is in the log', async () => {
    const traceparent = `00-${otherTraceId}-b7ad6b7169203331-00`;
    const headers = { ...untrusted, traceparent, 'X-Request-Id': 'linked' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => system.sandbox.request('GET', '/customers?perPage=1', { headers })),
    );
    const ownIds = answers.map((answer) => answer.headers.get('trace-id'));
    expect(new Set([...ownIds, otherTraceId]).size).toBe(4);
    await eventually(() => {
      const roots = collector.spans.filter(
        (span) => span.name === 'GET /v1/customers' && ownIds.includes(span.traceId),
      );
      expect(roots.map(({ parentSpanId }) => parentSpanId ?? '')).toEqual(['', '', '']);
      expect(roots.flatMap((root) => root.linkedTraceIds)).toEqual(Array(3).fill(otherTraceId));
    });
    await sendLastRequest(system);
    const line = (await logsOf(system)).get('gateway')!.match(/^.*"linked".*$/m)?.[0];
    expect(JSON.parse(line!)).toMatchObject({ caller_trace_id: otherTraceId });
  });

  test('has a root with facts to search by', async () => {
    const answer = await system.live.request('GET', `/customers/${mark}`, {
      headers: { 'X-Request-Id': 'searched' },
    });
    const id = answer.headers.get('trace-id');
    await eventually(() => {
      const spans = collector.spans.filter((span) => span.traceId === id);
      expect(spans.find(({ name }) => name === 'GET /v1/customers/:id')?.attributes).toEqual({
        'http.request.method': 'GET',
        'http.route': '/v1/customers/:id',
        'http.response.status_code': 404,
        'error.type': 'customer_not_found',
        'billing.request_id': 'searched',
        'billing.environment_id': expect.any(String),
        'billing.organization_id': expect.any(String),
        'billing.live': true,
        'billing.api_key_id': expect.any(String),
      });
      const call = {
        'rpc.system': 'grpc',
        'rpc.service': 'billing.customer.v1.CustomerService',
        'rpc.method': 'GetCustomer',
        'rpc.grpc.status_code': 5,
      };
      const calls = spans.filter(({ name }) => /^grpc .*GetCustomer$/.test(name));
      expect(calls.map(({ service }) => service).sort()).toEqual(['customer', 'gateway']);
      for (const { attributes } of calls) expect(attributes).toMatchObject(call);
    });
  });

  test('contains no key, token, address, card, body or query', async () => {
    const email = `${mark}@example.com`;
    const customer = await system.sandbox.post('/customers', { email, name: mark });
    const answer = await system.sandbox.post('/portal/sessions', { customerId: customer.body.id });
    const url = answer.body.url as string;
    await fetch(url);
    await system.sandbox.get(`/customers?email=${email}&${mark}=${mark}`);
    const last = await system.sandbox.get('/customers');
    await eventually(() => {
      const names = collector.spans.filter((span) => span.traceId === last.headers.get('trace-id'));
      expect(names.map(({ name }) => name)).toContain('GET /v1/customers');
    });
    const sent = [mark, 'txn_', '4242424242', system.sandboxKey, url.split('/').pop() ?? ''];
    expect(sent.filter((secret) => collector.text().includes(secret))).toEqual([]);
  });
});
