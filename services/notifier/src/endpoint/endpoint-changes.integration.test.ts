import { webhookEventTypes } from '@billing/kernel/input/webhook-endpoint';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type {
  UpdateWebhookEndpointRequest,
  WebhookEndpoint,
} from '@billing/proto/billing/notifier/v1/notifier';
import type { Delivery } from '../delivery/delivery';
import { EndpointHealthStore } from './health-store';
import { type RunningNotifier, sequencesOf, startSystem, type TestSystem } from '../testing/system';

const hour = 3_600_000;
const day = 24 * hour;

describe('an update of a webhook endpoint', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;
  let context: CallContext;

  beforeAll(async () => {
    system = await startSystem('changes');
    notifier = await system.startNotifier({ retryScheduleMs: [300, hour] });
  });

  beforeEach(() => {
    tenant = testTenant();
    context = testContext({ tenant });
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  async function update(
    request: Partial<UpdateWebhookEndpointRequest> &
      Pick<UpdateWebhookEndpointRequest, 'id' | 'updateMask'>,
    caller = context,
  ): Promise<WebhookEndpoint> {
    const { webhookEndpoint } = await notifier.calls.updateWebhookEndpoint(
      { events: [], ...request },
      caller,
    );
    return present(webhookEndpoint);
  }

  async function read(id: string): Promise<WebhookEndpoint> {
    const { webhookEndpoint } = await notifier.calls.getWebhookEndpoint({ id }, context);
    return present(webhookEndpoint);
  }

  async function deliveriesTo(endpointId: string): Promise<Delivery[]> {
    const deliveries = system.mongo.db.collection<Delivery>('deliveries');
    return deliveries.find({ endpointId }).sort({ sequence: 1 }).toArray();
  }

  test('keeps the omitted fields, increments the version by one and sets the real time', async () => {
    const { id } = await notifier.register(tenant, '/kept');
    const before = await read(id);
    const longAgo = testContext({ tenant, now: new Date('2020-01-01T00:00:00.000Z') });
    const changed = await update(
      { id, updateMask: ['description', 'events'], description: 'x', url: 'ignored' },
      longAgo,
    );
    expect(changed).toEqual({
      ...before,
      description: 'x',
      updatedAt: changed.updatedAt,
      version: 2n,
    });
    expect(changed.updatedAt!.getTime()).toBeGreaterThanOrEqual(before.updatedAt!.getTime());
    expect(await read(id)).toEqual(changed);
    const cleared = await update({ id, updateMask: ['description'] });
    expect(cleared).toMatchObject({ description: undefined, version: 3n });
  });

  test('without a difference writes nothing', async () => {
    const { id } = await notifier.register(tenant, '/same');
    const before = await read(id);
    const { url, events } = before;
    const same = { id, updateMask: ['url', 'events', 'description', 'active'], url, active: true };
    expect(await update({ ...same, events })).toEqual(before);
    expect(await update({ ...same, events: [] })).toEqual(before);
    expect(await update({ id, updateMask: [] })).toEqual(before);
    expect(await read(id)).toEqual(before);
  });

  test.each(['secret', 'id', 'created_at', 'failures_count_from'])(
    'of %s is refused under the name of the field',
    async (path) => {
      const { id } = await notifier.register(tenant, '/frozen');
      const field = path.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
      await expect(update({ id, updateMask: [path] })).rejects.toMatchObject({
        kind: 'invalid_input',
        fields: { [field]: ['Cannot be changed'] },
      });
    },
  );

  test('follows the rules of registration, in each environment its own', async () => {
    const { id } = await notifier.register(tenant, '/rules');
    const wrong = { updateMask: ['url', 'events'], url: 'http://10.0.0.1', events: ['x'] };
    await expect(update({ id, ...wrong })).rejects.toMatchObject({
      fields: { url: ['Must be a public address'], events: ['0: Unknown event'] },
    });
    const live = testContext({ tenant: testTenant({ live: true }) });
    const { webhookEndpoint } = await notifier.calls.createWebhookEndpoint(
      { url: 'https://example.com', events: webhookEventTypes.slice(0, 1) },
      live,
    );
    const loopback = { updateMask: ['url'], url: 'http://127.0.0.1:9/' };
    expect(await update({ id, ...loopback })).toMatchObject({ url: loopback.url });
    await expect(
      update({ id: present(webhookEndpoint).id, ...loopback }, live),
    ).rejects.toMatchObject({ fields: { url: ['Must be a public address'] } });
  });

  test('of an older version is refused as stale, even where it changes nothing', async () => {
    const { id } = await notifier.register(tenant, '/stale');
    const text = { id, updateMask: ['description'], description: 'x', expectedVersion: 1n };
    expect(await update(text)).toMatchObject({ version: 2n });
    await expect(update(text)).rejects.toMatchObject({ kind: 'stale', reason: 'STALE_VERSION' });
  });

  test('finds nothing by an id that is unknown, malformed, deleted or of another environment', async () => {
    const { id } = await notifier.register(tenant, '/deleted');
    const foreign = await notifier.register(testTenant(), '/foreign');
    await notifier.calls.deleteWebhookEndpoint({ id }, context);
    for (const lost of [newId(), '../x', '', id, foreign.id]) {
      await expect(
        update({ id: lost, updateMask: ['active'], active: true, expectedVersion: 7n }),
      ).rejects.toMatchObject({ kind: 'not_found', reason: 'WEBHOOK_ENDPOINT_NOT_FOUND' });
    }
  });

  test('sends later events to the new URL alone, and only the requested kinds', async () => {
    const { owner, receiver } = system;
    const { id } = await notifier.register(tenant, '/old');
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/old'), subscriptionId)).toEqual([1]);
    });
    await update({
      id,
      updateMask: ['url', 'events'],
      url: `${receiver.origin}/new`,
      events: ['subscription.renewed'],
    });
    await owner.announce(tenant, subscriptionId, 'subscription.updated');
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/new'), subscriptionId)).toEqual([3]);
    });
    expect(sequencesOf(receiver.receivedAt('/old'), subscriptionId)).toEqual([1]);
    expect((await deliveriesTo(id)).map(({ sequence }) => sequence)).toEqual([1, 3]);
  });

  test('to active sends later events; paused deliveries stay paused', async () => {
    const { owner, receiver } = system;
    const { id } = await notifier.register(tenant, '/paused');
    const paused = Promise.withResolvers<undefined>();
    // Fails once the endpoint is not active: a delivery is paused when its next attempt is due.
    receiver.answer = async ({ path, body }) => {
      if (path !== '/paused' || body.sequence !== 1) return { status: 204 };
      await paused.promise;
      return { status: 500 };
    };
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(receiver.receivedAt('/paused')).toHaveLength(1);
    });
    await update({ id, updateMask: ['active'], active: false });
    paused.resolve(undefined);
    await eventually(async () => {
      expect((await deliveriesTo(id)).map(({ status }) => status)).toEqual(['PAUSED']);
    });
    await update({ id, updateMask: ['active'], active: true });
    await owner.announce(tenant, subscriptionId);
    await eventually(async () => {
      const statuses = (await deliveriesTo(id)).map(({ status }) => status);
      expect(statuses).toEqual(['PAUSED', 'DELIVERED']);
    });
  });

  test('to active or to another URL resets the failures of the endpoint', async () => {
    const { owner, receiver, mongo } = system;
    const enabled = await notifier.register(tenant, '/enabled');
    const moved = await notifier.register(tenant, '/moved');
    const failing = await notifier.register(tenant, '/failing');
    const { environmentId } = tenant;
    const health = new EndpointHealthStore(mongo.db);
    for (const { id: endpointId } of [enabled, moved, failing]) {
      await health.recordFailure({ environmentId, endpointId }, new Date(Date.now() - 5 * day));
    }
    await update({ id: enabled.id, updateMask: ['active'], active: false });
    await update({ id: enabled.id, updateMask: ['active'], active: true });
    await update({ id: moved.id, updateMask: ['url'], url: `${receiver.origin}/moved-to` });
    await update({ id: failing.id, updateMask: ['description'], description: 'x' });
    receiver.answer = () => ({ status: 500 });
    await owner.announce(tenant, newId());

    await eventually(async () => {
      expect(await read(failing.id)).toMatchObject({ active: false });
    });
    await eventually(() => {
      expect(receiver.receivedAt('/enabled').length).toBeGreaterThanOrEqual(2);
      expect(receiver.receivedAt('/moved-to').length).toBeGreaterThanOrEqual(2);
    });
    expect([(await read(enabled.id)).active, (await read(moved.id)).active]).toEqual([true, true]);
  });

  test('is not undone by a late response of the former URL, and a delivery refused there goes to the new one', async () => {
    const { owner, receiver } = system;
    const { id } = await notifier.register(tenant, '/leaving');
    receiver.answer = async ({ path }) => {
      if (path !== '/leaving') return { status: 204 };
      await update({ id, updateMask: ['url'], url: `${receiver.origin}/arrived` });
      return { status: 410 };
    };
    await owner.announce(tenant, newId());
    await eventually(async () => {
      expect((await deliveriesTo(id)).map(({ status }) => status)).toEqual(['DELIVERED']);
    });
    expect(receiver.receivedAt('/arrived')).toHaveLength(1);
    expect(await read(id)).toMatchObject({ active: true });
  });
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}
