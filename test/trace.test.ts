import { eventually } from '@billing/chassis/testing';
import { startTestSystem, type TestSystem } from './test-system';
import { startTraceCollector, type TraceCollector } from './trace-collector';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver';

const traceId = '0af7651916cd43dd8448eb211c80319c';

describe('one trace', () => {
  let collector: TraceCollector;
  let receiver: WebhookReceiver;
  let system: TestSystem;

  beforeAll(async () => {
    collector = await startTraceCollector();
    receiver = await startWebhookReceiver();
    system = await startTestSystem({ processes: true, otlpEndpoint: collector.endpoint });
  });

  afterAll(async () => {
    await system.stop();
    await receiver.close();
    await collector.close();
  });

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
    const answer = await sandbox.post(
      '/subscriptions',
      {
        customerId: customer.id,
        productId: product.id,
        authorizedTransactionId: 'txn_4242424242424242',
      },
      { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    );
    expect(answer.status).toBe(201);
    expect(answer.headers.get('trace-id')).toBe(traceId);

    const expected = [
      ['gateway', /^POST \/v1\/subscriptions$/],
      ['gateway', /^grpc .*SubscriptionService\/CreateSubscription$/],
      ['subscription', /^grpc .*SubscriptionService\/CreateSubscription$/],
      ['subscription', /^grpc .*CustomerService\/GetCustomer$/],
      ['customer', /^grpc .*CustomerService\/GetCustomer$/],
      ['customer', /^mongodb find customers$/],
      ['subscription', /^grpc .*CatalogService\/GetProduct$/],
      ['catalog', /^grpc .*CatalogService\/GetProduct$/],
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
    await eventually(
      () => {
        const seen = collector.spans
          .filter((span) => span.traceId === traceId)
          .map(({ service, name }) => ({ service, name }));
        const missing = expected.filter(
          ([service, name]) =>
            !seen.some((span) => span.service === service && name.test(span.name)),
        );
        expect(missing).toEqual([]);
      },
      { timeoutMs: 20_000 },
    );
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(
      ({ parentSpanId }) => parentSpanId !== 'b7ad6b7169203331' && !ids.has(parentSpanId ?? ''),
    );
    expect(orphans).toEqual([]);
    expect(receiver.received[0]?.headers.traceparent).toContain(traceId);
  });
});
