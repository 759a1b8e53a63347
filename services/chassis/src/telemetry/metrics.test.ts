import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { monotonicMs, sleep } from '../clock';
import { createLogger } from './logging';
import { instruments } from './instruments';
import { Metrics } from './metrics';
import { eventually } from '../testing/testing';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('the metrics of a service', () => {
  let exporter: InMemoryMetricExporter;
  let metrics: Metrics;

  beforeEach(() => {
    exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter });
    metrics = new Metrics({ service: 'catalog', logger, readers: [reader] });
  });

  /** Returns the metrics that the shutdown exports. */
  async function exported(): Promise<Map<string, { unit: string; points: any[] }>> {
    let found: any[] = [];
    // The exporter drops its metrics on shutdown, right after the last export.
    const shutdown = exporter.shutdown.bind(exporter);
    exporter.shutdown = () => {
      found = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      return shutdown();
    };
    await metrics.shutdown();
    return new Map(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        { unit: descriptor.unit, points: dataPoints },
      ]),
    );
  }

  test('are counted and timed in the units of their instruments', async () => {
    metrics.recordRenewal({ live: true });
    metrics.recordRenewal({ live: true });
    metrics.recordRenewal({ live: false });
    metrics.recordRenewalLag({ lagMs: 1_500, live: true });
    metrics.recordPayment({ outcome: 'SUCCEEDED', live: true });
    metrics.recordPayment({ outcome: 'FAILED', live: true });
    metrics.recordPayment({ outcome: 'FAILED', live: true });
    metrics.recordPayment({ outcome: 'FAILED', live: false });
    metrics.recordParkedSubscription({ reason: 'INVOICES_A_DAY', live: false });
    metrics.recordWebhook({ lagMs: 250, live: false });
    metrics.recordPoisonMessage({ consumer: 'notifier', live: false });
    metrics.recordCall('/billing.catalog.v1.CatalogService/GetProduct', 'OK', 20);
    metrics.recordCall('/billing.catalog.v1.CatalogService/GetProduct', 'OK', 40);
    metrics.recordCall('/billing.catalog.v1.CatalogService/GetProduct', 'NOT_FOUND', 1);
    const request = { method: 'GET', route: '/v1/customers/:id', status: 200 };
    metrics.recordRequest({ ...request, durationMs: 250 });
    metrics.recordRequest({ ...request, live: true, durationMs: 250 });
    metrics.recordRequest({ ...request, method: 'BREW', durationMs: 500 });
    const found = await exported();
    const pointsOf = (instrument: keyof typeof instruments) =>
      found
        .get(instruments[instrument].name)
        ?.points.map(({ value, attributes }) => [value.sum ?? value, value.count, attributes]);

    const live = { 'billing.live': true };
    const sandbox = { 'billing.live': false };
    expect(pointsOf('renewals')).toEqual([
      [2, undefined, live],
      [1, undefined, sandbox],
    ]);
    expect(pointsOf('renewalLag')).toEqual([[1.5, 1, live]]);
    expect(pointsOf('payments')).toEqual([
      [1, undefined, { 'billing.payment.outcome': 'SUCCEEDED', ...live }],
      [2, undefined, { 'billing.payment.outcome': 'FAILED', ...live }],
      [1, undefined, { 'billing.payment.outcome': 'FAILED', ...sandbox }],
    ]);
    expect(pointsOf('parkedSubscriptions')).toEqual([
      [1, undefined, { 'billing.park.reason': 'INVOICES_A_DAY', ...sandbox }],
    ]);
    expect(pointsOf('webhookLag')).toEqual([[0.25, 1, sandbox]]);
    expect(pointsOf('poisonMessages')).toEqual([
      [1, undefined, { 'messaging.consumer.group.name': 'notifier', ...sandbox }],
    ]);
    const call = {
      'rpc.system.name': 'grpc',
      'rpc.method': 'billing.catalog.v1.CatalogService/GetProduct',
    };
    expect(pointsOf('callDuration')).toEqual([
      [0.06, 2, { ...call, 'rpc.response.status_code': 'OK' }],
      [0.001, 1, { ...call, 'rpc.response.status_code': 'NOT_FOUND' }],
    ]);
    const answered = { 'http.route': '/v1/customers/:id', 'http.response.status_code': 200 };
    expect(pointsOf('requestDuration')).toEqual([
      [0.25, 1, { ...answered, 'http.request.method': 'GET' }],
      [0.25, 1, { ...answered, 'http.request.method': 'GET', ...live }],
      [0.5, 1, { ...answered, 'http.request.method': '_OTHER' }],
    ]);
    for (const { name, unit } of Object.values(instruments)) {
      expect([unit, undefined]).toContain(found.get(name)?.unit);
    }
  });

  test('are read only on export, and a failing one is left out', async () => {
    let reads = 0;
    metrics.observe('outboxAge', async () => {
      reads += 1;
      return [{ value: 12, attributes: { 'billing.aggregate': 'order' } }];
    });
    metrics.observe('dueBacklog', () => Promise.reject(new Error('no database')));
    expect(reads).toBe(0);
    const found = await exported();
    expect(reads).toBe(1);
    expect(found.get('billing.outbox.age')?.points[0]).toMatchObject({
      value: 12,
      attributes: { 'billing.aggregate': 'order' },
    });
    expect(found.get('billing.due_work.backlog')?.points ?? []).toEqual([]);
  });

  test('report if a replica can serve, even while a database does not answer', async () => {
    const hanging = new Metrics({
      service: 'catalog',
      logger,
      readers: [
        new PeriodicExportingMetricReader({
          exporter,
          exportIntervalMillis: 100,
          exportTimeoutMillis: 50,
        }),
      ],
    });
    hanging.observe('outboxAge', () => new Promise(() => undefined));
    hanging.observeReadiness(() => false);
    await eventually(() => {
      const found = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
        .find(({ descriptor }) => descriptor.name === 'billing.ready');
      expect(found?.dataPoints[0]?.value).toBe(0);
    });
    await hanging.shutdown();
  });

  test('report the event loop delay', async () => {
    // The monitor ticks between the blocks, and finds each tick late.
    for (let block = 0; block < 5; block += 1) {
      const until = monotonicMs() + 80;
      while (monotonicMs() < until);
      await sleep(25);
    }
    const [point] = (await exported()).get('nodejs.eventloop.delay.p99')?.points ?? [];
    expect(point.value).toBeGreaterThan(0.02);
    // Milliseconds would be 80 or more.
    expect(point.value).toBeLessThan(60);
  });
});

test('a service without an exporter reads nothing', async () => {
  const metrics = new Metrics({ service: 'catalog', logger });
  let reads = 0;
  metrics.observe('outboxAge', async () => {
    reads += 1;
    return [];
  });
  metrics.recordPayment({ outcome: 'SUCCEEDED', live: true });
  await metrics.shutdown();
  expect(reads).toBe(0);
});

test('metrics.md lists every instrument with its unit', () => {
  const page = readFileSync(join(__dirname, '../../metrics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z][\w.]+)` \| `([^`]+)` \|/gm)].map(
    ([, name, unit]) => ({
      name,
      unit,
    }),
  );
  expect(rows).toEqual(Object.values(instruments).map(({ name, unit }) => ({ name, unit })));
});
