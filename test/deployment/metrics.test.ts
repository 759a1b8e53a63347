import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@billing/chassis/testing';
import { serviceNames } from '@billing/local/services';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

/** Points of one service and instrument, as last exported: [attributes, count or value]. */
type Points = [Record<string, string | boolean | number>, number][];

describe('the metrics of a running system', () => {
  const exported = new Map<string, Points>();
  let collector: Server;
  let receiver: WebhookReceiver;
  let system: OwnTestSystem;
  let isStopped = false;

  beforeAll(async () => {
    collector = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.url === '/v1/metrics') keep(JSON.parse(body));
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    receiver = await startWebhookReceiver();
    system = await startTestSystem({
      processes: true,
      otlpEndpoint: `http://127.0.0.1:${String(port)}`,
    });
  });
  afterAll(async () => {
    if (!isStopped) await system.stop();
    await receiver.close();
    collector.close();
    collector.closeAllConnections();
  });

  function keep({ resourceMetrics }: any): void {
    for (const { resource, scopeMetrics } of resourceMetrics) {
      const service = attributesOf(resource)['service.name'];
      for (const metric of scopeMetrics.flatMap((scope: any) => scope.metrics)) {
        const { dataPoints } = metric.gauge ?? metric.sum ?? metric.histogram;
        const points: Points = dataPoints.map((point: any) => [
          attributesOf(point),
          Number(point.count ?? point.asInt ?? point.asDouble),
        ]);
        exported.set(`${service} ${metric.name}`, points);
      }
    }
  }

  test('count a renewal, a payment and a webhook in their services, up to the end of the processes', async () => {
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
    await sandbox.expect(
      201,
      sandbox.post('/subscriptions', {
        customerId: customer.id,
        productId: product.id,
        authorizedTransactionId: 'txn_4242424242424242',
        // The subscription enters its first period automatically, after the response.
        startAt: new Date(Date.now() + 20_000).toISOString(),
      }),
    );
    await eventually(() => {
      const types = receiver.received.map(({ headers }) => headers['billing-event']);
      expect(types).toContain('subscription.payment_succeeded');
    });
    isStopped = true;
    await system.stop();

    expect(exported.get('subscription billing.subscription.renewals')).toEqual([
      [{ 'billing.live': false }, 1],
    ]);
    expect(exported.get('subscription billing.subscription.renewal.lag')).toEqual([
      [{ 'billing.live': false }, 1],
    ]);
    expect(exported.get('checkout billing.payments')).toEqual([
      [{ 'billing.payment.outcome': 'SUCCEEDED', 'billing.live': false }, 1],
    ]);
    expect(exported.get('notifier billing.webhook.lag')).toEqual([
      [{ 'billing.live': false }, receiver.received.length],
    ]);
    expect(exported.get('gateway http.server.request.duration')).toContainEqual([
      {
        'http.request.method': 'POST',
        'http.route': '/v1/subscriptions',
        'http.response.status_code': 201,
        'billing.live': false,
      },
      1,
    ]);
    expect(exported.get('catalog rpc.server.call.duration')).toContainEqual([
      {
        'rpc.system.name': 'grpc',
        'rpc.method': 'billing.catalog.v1.CatalogService/CreateProduct',
        'rpc.response.status_code': 'OK',
      },
      1,
    ]);
    for (const service of ['gateway', 'identity', 'customer']) {
      expect(exported.get(`${service} nodejs.eventloop.delay.p99`)).toHaveLength(1);
    }
    // The last value of each: a stopped service serves no one.
    for (const service of serviceNames) {
      expect([service, exported.get(`${service} billing.ready`)]).toEqual([service, [[{}, 0]]]);
    }
  });
});

function attributesOf({ attributes }: any): Record<string, string | boolean | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue } }: any) => [
      key,
      stringValue ?? boolValue ?? intValue,
    ]),
  );
}
