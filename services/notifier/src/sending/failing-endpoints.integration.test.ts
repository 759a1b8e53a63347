import type { Tenant } from '@billing/chassis/call-context';
import { derivedId, newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type { Attempt } from '../delivery/attempt-store';
import type { Delivery } from '../delivery/delivery';
import { DeliveryStore } from '../delivery/delivery-store';
import { EndpointHealthStore } from '../endpoint/health-store';
import { messageId } from '../message/message-store';
import {
  type Answer,
  type RunningNotifier,
  sequencesOf,
  startSystem,
  type TestSystem,
} from '../testing/system';

const retryScheduleMs = [300, 300, 300];
// Long enough for a busy machine to answer in time: another attempt would change the sequences.
const timeoutMs = 20_000;

describe('a notifier with a receiver that fails', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;

  beforeAll(async () => {
    system = await startSystem('fails');
    notifier = await system.startNotifier({ retryScheduleMs, timeoutMs });
  });

  beforeEach(() => {
    tenant = testTenant();
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  async function deliveriesOf(filter: Partial<Delivery>): Promise<Delivery[]> {
    const deliveries = system.mongo.db.collection<Delivery>('deliveries');
    return deliveries
      .find({ ...filter, environmentId: tenant.environmentId })
      .sort({ sequence: 1 })
      .toArray();
  }

  test('postpones later webhooks of the subscription, and sends them in order with the same ids and bytes', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/down');
    receiver.answer = ({ path }) => ({ status: receiver.receivedAt(path).length <= 2 ? 503 : 204 });
    const id = newId();
    for (let number = 1; number <= 5; number += 1) await owner.announce(tenant, id);

    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/down'), id)).toEqual([1, 1, 1, 2, 3, 4, 5]);
    });
    const attempts = receiver.receivedAt('/down').filter(({ body }) => body.sequence === 1);
    expect(new Set(attempts.map(({ text }) => text)).size).toBe(1);
    expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('stops retrying at the end of the schedule, and continues with later webhooks', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/hopeless');
    receiver.answer = ({ body }) =>
      body.sequence === 1 ? { status: 500, text: 'no luck' } : { status: 204 };
    const id = newId();
    await owner.announce(tenant, id);
    await owner.announce(tenant, id);

    await eventually(async () => {
      expect((await deliveriesOf({})).map(({ status }) => status)).toEqual(['FAILED', 'DELIVERED']);
    });
    expect(sequencesOf(receiver.receivedAt('/hopeless'), id)).toEqual([1, 1, 1, 1, 2]);
    const attempts = await system.mongo.db
      .collection<Attempt>('attempts')
      .find({ environmentId: tenant.environmentId })
      .sort({ _id: 1 })
      .toArray();
    expect(attempts).toHaveLength(5);
    expect(attempts[0]).toMatchObject({
      responseStatus: 500,
      responseBody: 'no luck',
      error: null,
    });
    expect(attempts[4]).toMatchObject({ responseStatus: 204, responseBody: '', error: null });
  });

  test('follows no redirect', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/moved');
    receiver.answer = ({ path }) =>
      path === '/moved' ? { status: 307, headers: { location: '/elsewhere' } } : { status: 204 };
    await owner.announce(tenant, newId());

    await eventually(async () => {
      expect((await deliveriesOf({ status: 'FAILED' })).length).toBe(1);
    });
    expect(receiver.receivedAt('/elsewhere')).toHaveLength(0);
  });

  test('waits as long as the receiver asks for', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/patience');
    receiver.answer = ({ path }) =>
      receiver.receivedAt(path).length === 1
        ? { status: 429, headers: { 'retry-after': '3600' } }
        : { status: 204 };
    await owner.announce(tenant, newId());

    const [first, second] = await eventually(() => {
      expect(receiver.receivedAt('/patience')).toHaveLength(2);
      return receiver.receivedAt('/patience');
    });
    // The longest granted wait is twice the step; the first step alone would be at most 360 ms.
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(590);
  });

  test('records the error where no response came', async () => {
    const { owner, receiver, mongo } = system;
    await notifier.register(tenant, '/silent');
    receiver.answer = () => 'NEVER';
    await owner.announce(tenant, newId());

    await eventually(async () => {
      const attempt = await mongo.db
        .collection<Attempt>('attempts')
        .findOne({ environmentId: tenant.environmentId });
      expect(attempt).toMatchObject({ responseStatus: null, error: 'Timed out' });
      expect(attempt!.durationMs).toBeGreaterThanOrEqual(timeoutMs - 100);
    });
  });

  test('disables an endpoint that responds with 410, and sends it nothing more', async () => {
    const { owner, receiver } = system;
    const gone = await notifier.register(tenant, '/gone');
    await notifier.register(tenant, '/here');
    receiver.answer = ({ path }) => ({ status: path === '/gone' ? 410 : 204 });
    const id = newId();
    await owner.announce(tenant, id);

    await eventually(async () => {
      const { webhookEndpoint } = await notifier.calls.getWebhookEndpoint(
        { id: gone.id },
        testContext({ tenant }),
      );
      expect(webhookEndpoint).toMatchObject({ active: false });
    });
    await owner.announce(tenant, id);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/here'), id)).toEqual([1, 2]);
    });
    expect(receiver.receivedAt('/gone')).toHaveLength(1);
    await eventually(async () => {
      const statuses = (await deliveriesOf({ endpointId: gone.id })).map(({ status }) => status);
      // Later webhooks wait there as PAUSED until they are requested.
      expect(statuses).toEqual(['FAILED', 'PAUSED']);
    });
  });

  test('discards undelivered webhooks of an endpoint that is deleted', async () => {
    const { owner, receiver } = system;
    const { id } = await notifier.register(tenant, '/left');
    const deleted = Promise.withResolvers<Answer>();
    receiver.answer = () => deleted.promise;
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId);
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(receiver.receivedAt('/left')).toHaveLength(1);
    });
    await notifier.calls.deleteWebhookEndpoint({ id }, testContext({ tenant }));
    // At the end of its schedule a webhook would be kept as failed.
    deleted.resolve({ status: 500 });

    await eventually(async () => {
      expect(await deliveriesOf({ endpointId: id })).toEqual([]);
    });
  });

  test('disables an endpoint without a success for five days', async () => {
    const { owner, receiver, mongo } = system;
    const failing = await notifier.register(tenant, '/five-days');
    const recovering = await notifier.register(tenant, '/recovering');
    const { environmentId } = tenant;
    const day = 24 * 3_600_000;
    const longAgo = new Date(Date.now() - 5 * day);
    const health = new EndpointHealthStore(mongo.db);
    for (const { id: endpointId } of [failing, recovering]) {
      await health.recordFailure({ environmentId, endpointId }, longAgo);
    }
    await health.recordSuccesses([{ environmentId, endpointId: recovering.id }]);
    receiver.answer = () => ({ status: 500 });
    await owner.announce(tenant, newId());

    const activeOf = async ({ id }: { id: string }) => {
      const found = await notifier.calls.getWebhookEndpoint({ id }, testContext({ tenant }));
      return found.webhookEndpoint?.active;
    };
    await eventually(async () => {
      expect(await activeOf(failing)).toBe(false);
    });
    await eventually(() => {
      expect(receiver.receivedAt('/recovering').length).toBeGreaterThanOrEqual(2);
    });
    expect(await activeOf(recovering)).toBe(true);
    expect(receiver.receivedAt('/five-days')).toHaveLength(1);
  });

  test('sends nothing of an event whose acceptance crashed, until the event arrives again', async () => {
    const { owner, receiver, mongo } = system;
    const { id: endpointId } = await notifier.register(tenant, '/broken-off');
    const subscriptionId = newId();
    const { environmentId } = tenant;
    const messageKey = messageId({ environmentId, subscriptionId, sequence: 1 });
    const now = new Date();
    await new DeliveryStore(mongo.db).insert([
      {
        _id: derivedId(environmentId, 'delivery', messageKey, endpointId),
        environmentId,
        endpointId,
        messageId: messageKey,
        subscriptionId,
        sequence: 1,
        previousId: null,
        status: 'PENDING',
        dueAt: now,
        claim: null,
        failures: 0,
        createdAt: now,
      },
    ]);
    const other = newId();
    await owner.announce(tenant, other);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/broken-off'), other)).toEqual([1]);
    });
    expect(sequencesOf(receiver.receivedAt('/broken-off'), subscriptionId)).toEqual([]);

    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/broken-off'), subscriptionId)).toEqual([1]);
    });
  });

  test('sends no stray delivery that an acceptance left behind after it lost a race', async () => {
    const { owner, receiver, mongo } = system;
    await notifier.register(tenant, '/early');
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/early'), subscriptionId)).toEqual([1]);
    });
    const { id: endpointId } = await notifier.register(tenant, '/registered-in-between');
    const [first] = await deliveriesOf({ subscriptionId });
    const { messageId: lost } = first!;
    const stray = derivedId(tenant.environmentId, 'delivery', lost, endpointId);
    const due = { status: 'PENDING', dueAt: new Date(), claim: null } as const;
    await new DeliveryStore(mongo.db).insert([{ ...first!, ...due, _id: stray, endpointId }]);
    await owner.announce(tenant, subscriptionId);

    await eventually(async () => {
      const sequences = sequencesOf(receiver.receivedAt('/registered-in-between'), subscriptionId);
      expect(sequences).toEqual([2]);
      expect(await deliveriesOf({ _id: stray })).toEqual([]);
    });
  });

  test('counts a webhook that cannot be signed as failed, and continues with others', async () => {
    const { owner, receiver, mongo } = system;
    const broken = await notifier.register(tenant, '/unsigned');
    await notifier.register(tenant, '/signed-well');
    await mongo.db
      .collection<{ _id: string }>('webhookEndpoints')
      .updateOne({ _id: broken.id }, { $set: { secret: 'whsec_' } });
    const id = newId();
    await owner.announce(tenant, id);

    await eventually(() => {
      expect(sequencesOf(receiver.receivedAt('/signed-well'), id)).toEqual([1]);
    });
    await eventually(async () => {
      const [delivery] = await deliveriesOf({ endpointId: broken.id });
      expect(delivery).toMatchObject({ status: 'FAILED', failures: 4 });
    });
    const attempt = {
      environmentId: tenant.environmentId,
      error: 'The request could not be created',
    };
    expect(await mongo.db.collection('attempts').countDocuments(attempt)).toBe(4);
    expect(receiver.receivedAt('/unsigned')).toEqual([]);
  });

  test('sends the deliveries that a dead process had claimed once their lease ends', async () => {
    const { owner, receiver, mongo } = system;
    await notifier.register(tenant, '/orphaned');
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    receiver.answer = ({ path }) =>
      receiver.receivedAt(path).length === 1 ? answered : { status: 204 };
    await owner.announce(tenant, newId());
    await eventually(() => {
      expect(receiver.receivedAt('/orphaned')).toHaveLength(1);
    });
    // Another process claims the delivery, as if the lease of this one had ended, and dies.
    const [delivery] = await deliveriesOf({ status: 'PENDING' });
    const { dueAt: now } = delivery!;
    const claim = { claim: newId(), now: now!, until: new Date(Date.now() + 1_000) };
    const deliveries = new DeliveryStore(mongo.db);
    expect(await deliveries.claim(tenant.environmentId, [delivery!], claim)).toHaveLength(1);
    answer({ status: 500 });

    await eventually(async () => {
      expect(await deliveriesOf({ status: 'DELIVERED' })).toHaveLength(1);
    });
    const [first, second, ...more] = receiver.receivedAt('/orphaned');
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1_000);
    expect(more).toEqual([]);
  });
});
