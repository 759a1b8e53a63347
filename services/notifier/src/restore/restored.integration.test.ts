import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { recoverNotifier } from '../testing/restore';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

// The notifier was restored to a later instant than the owner of the events: it has sent events
// that their owner has lost.
const overrides = { reconcileEveryMs: 200, feedPollEveryMs: 100 };
const code = 'WH5C2';
const subject = newId();
const tenant: Tenant = testTenant();
let system: TestSystem;
let notifier: RunningNotifier;

beforeAll(async () => {
  system = await startSystem('restored');
  notifier = await system.startNotifier(overrides);
});

afterAll(() => system.close());

const arrived = (path: string) => system.receiver.receivedAt(path);
const headsAt = (path: string) =>
  arrived(path).map(({ body }) => [body.type, body.sequence, body.restoreCode]);

function readFeed(after: string | undefined) {
  const page = { after, limit: 100, types: [], waitMs: 0 };
  return notifier.feedCalls.listWebhookEvents(page, testContext({ tenant }));
}

test('events after a restore have ids, a feed and an announcement of their own', async () => {
  await notifier.register(tenant, '/all', ['*']);
  await notifier.register(tenant, '/subscriptions', ['subscription.*']);
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    await system.owner.logOnly(tenant, subject, sequence);
  }
  await eventually(() => {
    expect(headsAt('/all')).toEqual([1, 2, 3, 4].map((n) => ['subscription.renewed', n, null]));
    expect(arrived('/subscriptions')).toHaveLength(4);
  });
  await eventually(async () => {
    expect((await readFeed(undefined)).newest).toBe('4');
  });
  const before = arrived('/all').map(({ body }) => body.id as string);

  await system.stopNotifiers();
  // Lost: 3 and 4. Their owner has announced others of these numbers since the restore.
  await system.owner.forget(subject, [3, 4]);
  await system.owner.logOnly(tenant, subject, 3, `${code}:3`);
  await system.owner.logOnly(tenant, subject, 4, `${code}:3`);
  const recovered = await recoverNotifier(system, code, () => system.startNotifier(overrides));
  notifier = recovered.notifier;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(arrived('/all')).toHaveLength(4);

  const openedAt = await recovered.open();
  await system.owner.logOnly(tenant, subject, 5, `${code}:3`);
  await eventually(() => {
    expect(arrived('/all')).toHaveLength(8);
    expect(arrived('/subscriptions')).toHaveLength(7);
  });
  expect(headsAt('/all').slice(4)).toEqual(
    expect.arrayContaining([
      ['environment.restored', 1, code],
      ['subscription.renewed', 3, code],
      ['subscription.renewed', 4, code],
      ['subscription.renewed', 5, code],
    ]),
  );
  const after = arrived('/all').slice(4);
  const ids = after.map(({ headers }) => headers['webhook-id']);
  expect(new Set([...before, ...ids]).size).toBe(8);
  const told = after.find(({ body }) => body.type === 'environment.restored');
  expect(told?.body.data).toMatchObject({
    environmentId: tenant.environmentId,
    restore: { id: recovered.restoreId, code, usageToResend: { until: openedAt.toISOString() } },
  });

  // The feed begins again with everything that is held, each subject in its order.
  await eventually(async () => {
    expect((await readFeed(undefined)).newest).toBe(`${code}.8`);
  });
  const page = await readFeed(undefined);
  expect(page.events.map(({ position }) => Number(position))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const bodies = page.events.map(({ body }) => JSON.parse(body));
  expect(bodies.slice(0, 4).map((body) => body.id)).toEqual(before);
  const ofSubject = bodies.filter(({ type }) => type === 'subscription.renewed').slice(4);
  expect(ofSubject.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
  expect((await readFeed(`${code}.7`)).events).toHaveLength(1);
  await expect(readFeed('4')).rejects.toMatchObject({ kind: 'gone' });

  // A restart announces nothing again, and nothing to environments made since.
  const other = testTenant();
  await notifier.register(other, '/other', ['*']);
  await system.stopNotifiers();
  notifier = await system.startNotifier(overrides);
  await system.owner.logOnly(other, newId(), 1, `${code}:1`);
  await system.owner.logOnly(tenant, subject, 6, `${code}:3`);
  await eventually(() => {
    expect(headsAt('/other')).toEqual([['subscription.renewed', 1, code]]);
  });
  await eventually(() => {
    expect(headsAt('/all').at(-1)).toEqual(['subscription.renewed', 6, code]);
  });
  expect(headsAt('/all').filter(([type]) => type === 'environment.restored')).toHaveLength(1);
});
