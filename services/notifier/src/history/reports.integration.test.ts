import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import {
  type WebhookReportServiceServer,
  WebhookReportServiceService,
} from '@billing/proto/billing/notifier/v1/report';
import type { DeliveryStatus, Delivery } from '../delivery/delivery';
import { DeliveryReportStore } from './report-store';
import { DeliveryStore } from '../delivery/delivery-store';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

const hourMs = 3_600_000;

let system: TestSystem;
let notifier: RunningNotifier;
let reports: Peer<WebhookReportServiceServer>;
let tenant: Tenant;

beforeAll(async () => {
  system = await startSystem('reports');
  // One failure lasts for the whole test; a second one ends the schedule.
  notifier = await system.startNotifier({ retryScheduleMs: [hourMs] });
  reports = connectPeer<WebhookReportServiceServer>(WebhookReportServiceService, {
    address: notifier.address,
    service: 'test',
  });
});

beforeEach(() => {
  tenant = testTenant();
});

afterAll(async () => {
  reports.close();
  await system.close();
});

const within = (of: Tenant) => testContext({ tenant: of });

test('deliveries are reported by endpoint, of the caller’s environment alone', async () => {
  const { receiver, owner } = system;
  receiver.answer = ({ path }) => ({ status: path === '/refuses' ? 500 : 204 });
  const good = await notifier.register(tenant, '/takes');
  const bad = await notifier.register(tenant, '/refuses');
  for (let number = 1; number <= 3; number += 1) await owner.announce(tenant, newId());
  const other = testTenant();
  await notifier.register(other, '/takes');
  await owner.announce(other, newId());

  const { endpoints } = await eventually(async () => {
    const report = await reports.getDeliveryReport({ days: 2 }, within(tenant));
    // Midnight may pass in between.
    const counts = report.endpoints.map(({ endpointId, days }) => [
      endpointId,
      days.reduce((sum, { delivered }) => sum + delivered, 0n),
      days.reduce((sum, { failed }) => sum + failed, 0n),
    ]);
    expect(counts).toEqual([
      [bad.id, 0n, 3n],
      [good.id, 3n, 0n],
    ]);
    return report;
  });
  expect(endpoints[0]?.days.map(({ day }) => day)).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  ]);
  expect(await reports.getDeliveryCounts({}, within(tenant))).toEqual({
    waiting: 3n,
    failed: 0n,
    paused: 0n,
    isMore: false,
  });
  await eventually(async () => {
    const [theirs] = (await reports.getDeliveryReport({ days: 2 }, within(other))).endpoints;
    expect(theirs?.days.reduce((sum, { delivered }) => sum + delivered, 0n)).toBe(1n);
  });
});

test('abandoned webhooks are counted, and those withheld from a disabled endpoint', async () => {
  const { receiver, owner } = system;
  receiver.answer = () => ({ status: 410 });
  await notifier.register(tenant, '/gone');
  const id = newId();
  await owner.announce(tenant, id);
  await eventually(async () => {
    expect(await reports.getDeliveryCounts({}, within(tenant))).toEqual({
      waiting: 0n,
      failed: 1n,
      paused: 0n,
      isMore: false,
    });
  });
  await owner.announce(tenant, id);
  await eventually(async () => {
    expect((await reports.getDeliveryCounts({}, within(tenant))).paused).toBe(1n);
  });
});

test('a webhook without an attempt has not failed, and a count that reached its limit reports so', async () => {
  const key = { environmentId: tenant.environmentId, endpointId: newId() };
  const since = new Date('2026-11-20T12:00:00Z');
  // Far ahead, so that no worker claims them.
  const dueAt = new Date('2999-01-01T00:00:00Z');
  const aDelivery = (delivery: Partial<Delivery>): Delivery => ({
    ...{ _id: newId(), ...key, messageId: newId(), subscriptionId: newId(), sequence: 1 },
    ...{ previousId: null, status: 'PENDING', dueAt, claim: null, failures: 0, createdAt: since },
    ...delivery,
  });
  await new DeliveryStore(system.mongo.db).insert([
    aDelivery({}),
    aDelivery({ claim: newId() }),
    aDelivery({ failures: 1 }),
    aDelivery({ failures: 2, claim: newId() }),
    aDelivery({ failures: 1, hasArrived: true }),
    aDelivery({ failures: 1, createdAt: new Date(since.getTime() - 1) }),
    aDelivery({ status: 'FAILED', dueAt: null, failures: 1 }),
    aDelivery({ status: 'PAUSED', dueAt: null }),
    aDelivery({ status: 'DELIVERED', dueAt: null }),
  ]);
  const store = new DeliveryReportStore(system.mongo.db);
  const count = (status: DeliveryStatus, limit = 10) =>
    store.countStanding([key], { status, since, limit });
  expect(await count('PENDING')).toEqual({ count: 2, isMore: false });
  expect(await count('PENDING', 2)).toEqual({ count: 2, isMore: false });
  expect(await count('PENDING', 1)).toEqual({ count: 1, isMore: true });
  expect(await count('FAILED')).toEqual({ count: 1, isMore: false });
  expect(await count('PAUSED')).toEqual({ count: 1, isMore: false });
});

test.each([0, 31])('a report of %d days is refused', async (days) => {
  await expect(reports.getDeliveryReport({ days }, within(tenant))).rejects.toMatchObject({
    fields: { days: ['Must be a whole number from 1 to 30'] },
  });
});
