import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import { systemClock } from '../clock';
import { connectPeer } from '../grpc/peer';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '../testing/testing';

const configuration = testServiceConfiguration('metrics');

// Runs the sources in a process of their own, as a program's main file does: the exporter loads
// modules in a way that jest does not support.
const main = `
  const { transformFileSync } = require('@swc/core');
  require.extensions['.ts'] = (module, path) => module._compile(transformFileSync(path, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' },
  }).code, path);
  const { processEnvironment, readConfiguration, serviceConfigurationShape } = require('../service/configuration');
  const { UnreadableMessageError } = require('../stream/jet-stream');
  const { runProcess } = require('../service/process');
  const { Service } = require('../service/service');
  const { z } = require('zod');
  const refuse = () => Promise.reject(new Error('Never done'));
  const due = new Date('2026-01-01T00:00:00Z');
  runProcess('sale', async () => {
    const service = await Service.open('sale', readConfiguration(z.object(serviceConfigurationShape), processEnvironment()));
    const orders = service.aggregates({
      collection: 'orders', aggregate: 'order', resource: 'Order',
      toDocument: () => ({}), fromDocument: ({ _id }) => ({ id: _id }),
      dueAt: () => ({ at: due, workClass: 'RENEWAL' }),
    });
    orders.handle({ commands: { ship: refuse }, wake: refuse });
    service.consume({
      durable: 'sale', filterSubjects: ['sale.order.paid'],
      handle: () => Promise.reject(new UnreadableMessageError('not JSON')),
    });
    const running = await service.serve([]);
    const tenant = JSON.parse(process.env.TENANT);
    await orders.within({ tenant, now: due }).insert({
      state: { id: 'order-1' }, events: [], commands: [{ type: 'ship', payload: {} }],
    });
    await service.stream.publish({ subject: 'sale.order.paid', id: 'order-1:1', data: '?' });
    process.stdout.write(JSON.stringify({ address: running.address }) + '\\n');
    return running;
  });`;

/** A receiver of OTLP over HTTP. */
async function startCollector() {
  const exports: any[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/metrics') exports.push(...JSON.parse(body).resourceMetrics);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, exports, endpoint: `http://127.0.0.1:${String(port)}` };
}

describe('a service whose metrics are exported', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let child: ChildProcess;
  let address: string;

  beforeAll(async () => {
    collector = await startCollector();
    const texts = Object.entries(configuration).map(([name, value]) => [name, String(value)]);
    child = spawn(process.execPath, ['--conditions=source', '-e', main], {
      cwd: __dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...Object.fromEntries(texts),
        TENANT: JSON.stringify(testTenant()),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        METRIC_EXPORT_INTERVAL_MS: '200',
      },
    });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    address = JSON.parse(line.toString()).address;
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    collector.server.close();
    collector.server.closeAllConnections();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  /** Returns the newest points of a metric. */
  function pointsOf(name: string): any[] {
    for (const { scopeMetrics } of collector.exports.toReversed()) {
      for (const { metrics } of scopeMetrics) {
        const metric = metrics.find((one: { name: string }) => one.name === name);
        if (metric !== undefined)
          return (metric.gauge ?? metric.sum ?? metric.histogram).dataPoints;
      }
    }
    return [];
  }

  const attributesOf = ({ attributes }: any) =>
    Object.fromEntries(
      attributes.map(({ key, value }: any) => [key, value.stringValue ?? value.boolValue]),
    );
  const isOfSandboxes = (point: any) => attributesOf(point)['billing.live'] === false;

  test('identifies itself', async () => {
    await eventually(() => {
      expect(attributesOf(collector.exports[0].resource)).toEqual({
        'service.namespace': 'billing',
        'service.name': 'sale',
        'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
    });
  });

  test('reports that it can serve', async () => {
    await eventually(() => {
      const [ready] = pointsOf('billing.ready');
      expect(attributesOf(ready)).toEqual({});
      expect(Number(ready.asInt ?? ready.asDouble)).toBe(1);
    });
  });

  test('reports the age of its oldest outbox, and the amount and age of due work', async () => {
    await eventually(() => {
      const ages = pointsOf('billing.outbox.age');
      expect(ages.map(attributesOf)).toEqual(
        [true, false].map((live) => ({ 'billing.aggregate': 'order', 'billing.live': live })),
      );
      const age = ages.find(isOfSandboxes);
      expect(age.asDouble).toBeGreaterThan(0.2);
      const [backlog] = pointsOf('billing.due_work.backlog');
      expect(attributesOf(backlog)).toEqual({
        'billing.aggregate': 'order',
        'billing.due_work.kind': 'wake',
      });
      expect(backlog.asDouble ?? Number(backlog.asInt)).toBe(1);
      const dueAge = pointsOf('billing.due_work.age').find(isOfSandboxes);
      expect(attributesOf(dueAge)).toEqual({ ...attributesOf(backlog), 'billing.live': false });
      const realAge = (systemClock.now().getTime() - Date.parse('2026-01-01T00:00:00Z')) / 1_000;
      expect(dueAge.asDouble ?? Number(dueAge.asInt)).toBeGreaterThan(realAge - 60);
      expect(dueAge.asDouble ?? Number(dueAge.asInt)).toBeLessThan(realAge + 1);
    });
  });

  test('times the calls that it answers, by method and status', async () => {
    const peer = connectPeer<DueWorkServiceServer>(DueWorkServiceService, {
      address,
      service: 'test',
      withoutTenant: ['getNextDue'],
    });
    const until = systemClock.now();
    await peer.getNextDue({ environmentId: 'x', until }, testContext());
    const request = { environmentId: 'x', until, workClass: WorkClass.WORK_CLASS_UNSPECIFIED };
    await expect(peer.runDue(request, testContext())).rejects.toThrow();
    peer.close();
    await eventually(() => {
      const calls = pointsOf('rpc.server.call.duration').map((point) => attributesOf(point));
      const service = 'billing.clock.v1.DueWorkService';
      expect(calls).toEqual(
        expect.arrayContaining([
          {
            'rpc.system.name': 'grpc',
            'rpc.method': `${service}/GetNextDue`,
            'rpc.response.status_code': 'OK',
          },
          {
            'rpc.system.name': 'grpc',
            'rpc.method': `${service}/RunDue`,
            'rpc.response.status_code': 'INVALID_ARGUMENT',
          },
        ]),
      );
    });
  });

  test('counts a message that is moved to the poison messages', async () => {
    await eventually(() => {
      const [poison] = pointsOf('billing.poison_messages');
      expect(attributesOf(poison)).toEqual({
        'messaging.consumer.group.name': 'sale',
        'billing.live': true,
      });
      expect(Number(poison.asInt ?? poison.asDouble)).toBe(1);
    });
  });

  test('reports its event loop delay', async () => {
    await eventually(() => {
      const [{ asDouble, asInt }] = pointsOf('nodejs.eventloop.delay.p99');
      expect(Number(asDouble ?? asInt)).toBeGreaterThanOrEqual(0);
    });
  });

  test('exports the remaining metrics when it stops', async () => {
    const before = collector.exports.length;
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expect(collector.exports.length).toBeGreaterThan(before);
    expect(pointsOf('billing.outbox.age')).toHaveLength(2);
    const [ready] = pointsOf('billing.ready');
    expect(Number(ready.asInt ?? ready.asDouble)).toBe(0);
  });
});
