import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { WebhookDeliveryStatus } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import type { DeliveryStatus, Delivery } from '../delivery/delivery';
import { type Replay, ReplayStore } from './replay-store';
import { type RunningNotifier, sequencesOf, startSystem, type TestSystem } from '../testing/system';

const hour = 3_600_000;
// No retry happens during a test, and logs are read only at the beginning.
const settings = { retryScheduleMs: [hour], timeoutMs: 60_000, reconcileEveryMs: hour };

describe('undelivered webhooks', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;
  let context: CallContext;
  let since: Date;

  beforeAll(async () => {
    system = await startSystem('replays');
    notifier = await system.startNotifier(settings);
  });

  beforeEach(() => {
    tenant = testTenant();
    context = testContext({ tenant });
    since = new Date(Date.now() - 60_000);
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  function deliveries() {
    return system.mongo.db.collection<Delivery>('deliveries');
  }

  function eventuallyStored(endpointId: string, statuses: DeliveryStatus[]): Promise<Delivery[]> {
    return eventually(async () => {
      const found = await deliveries()
        .find({ endpointId })
        .sort({ subscriptionId: 1, sequence: 1 })
        .toArray();
      expect(found.map(({ status }) => status)).toEqual(statuses);
      return found;
    });
  }

  async function setActive(id: string, active: boolean): Promise<void> {
    const change = { id, events: [], updateMask: ['active'], active };
    await notifier.calls.updateWebhookEndpoint(change, context);
  }

  async function replay(endpointId: string, from = since, all = false): Promise<number> {
    const { count } = await notifier.deliveryCalls.replayWebhooks(
      { endpointId, since: from, all },
      context,
    );
    return count;
  }

  async function gapsOf(endpointId: string, from: Date | 'kept' = since) {
    const { gaps } = await notifier.deliveryCalls.listWebhookGaps(
      { endpointId, since: from === 'kept' ? undefined : from },
      context,
    );
    return gaps.map(({ source, sequences }) => [source!.$case, source!.value, sequences]);
  }

  const subscriptionGap = (id: string, ...sequences: number[]) => ['subscriptionId', id, sequences];

  async function announceTimes(times: number, subscriptionId: string): Promise<void> {
    for (let time = 1; time <= times; time += 1) {
      await system.owner.announce(tenant, subscriptionId);
    }
  }

  test('include those of a disabled endpoint, from before and after; a replay sends them lowest sequence first', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/gone');
    const ids = [newId(), newId()].sort();
    const [a = '', b = ''] = ids;
    await announceTimes(1, a);
    await eventuallyStored(id, ['DELIVERED']);
    receiver.answer = () => ({ status: 410 });
    await announceTimes(1, a);
    await eventuallyStored(id, ['DELIVERED', 'FAILED']);
    await announceTimes(3, a);
    await announceTimes(2, b);
    await eventuallyStored(id, ['DELIVERED', 'FAILED', ...Array(5).fill('PAUSED')]);
    expect(await gapsOf(id)).toEqual([subscriptionGap(a, 2, 3, 4, 5), subscriptionGap(b, 1, 2)]);
    await expect(replay(id)).rejects.toMatchObject({ reason: 'WEBHOOK_ENDPOINT_NOT_ACTIVE' });

    receiver.answer = () => ({ status: 204 });
    await setActive(id, true);
    const before = receiver.receivedAt('/gone').length;
    expect(await replay(id)).toBe(6);
    await eventuallyStored(id, Array(7).fill('DELIVERED'));
    const again = receiver.receivedAt('/gone').slice(before);
    expect(sequencesOf(again, a)).toEqual([2, 3, 4, 5]);
    expect(sequencesOf(again, b)).toEqual([1, 2]);
    const [first, second] = receiver
      .receivedAt('/gone')
      .filter(({ body }) => body.data.subscriptionId === a && body.sequence === 2);
    expect(second!.text).toBe(first!.text);
    expect(await gapsOf(id)).toEqual([]);
    expect(await replay(id)).toBe(0);
  });

  test('keep their order in a replay, even where one between them has arrived', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/between');
    const subscriptionId = newId();
    await setActive(id, false);
    await announceTimes(1, subscriptionId);
    await eventuallyStored(id, ['PAUSED']);
    await setActive(id, true);
    await announceTimes(1, subscriptionId);
    await eventuallyStored(id, ['PAUSED', 'DELIVERED']);
    await setActive(id, false);
    await announceTimes(1, subscriptionId);
    await eventuallyStored(id, ['PAUSED', 'DELIVERED', 'PAUSED']);
    expect(await gapsOf(id)).toEqual([subscriptionGap(subscriptionId, 1, 3)]);

    // The first one blocks the others until it has arrived.
    receiver.answer = ({ body }) => ({ status: body.sequence === 1 ? 500 : 204 });
    await setActive(id, true);
    expect(await replay(id)).toBe(2);
    await eventually(async () => {
      const [first, , third] = await eventuallyStored(id, ['PENDING', 'DELIVERED', 'PENDING']);
      expect(first).toMatchObject({ failures: 1, claim: null });
      expect(third!.previousId).toBe(first!._id);
    });
    expect(sequencesOf(receiver.receivedAt('/between'), subscriptionId)).toEqual([2, 1]);
    receiver.answer = () => ({ status: 204 });
    // A delivery that waits for its next attempt is undelivered, and is tried immediately.
    expect(await replay(id)).toBe(2);
    await eventuallyStored(id, Array(3).fill('DELIVERED'));
    expect(sequencesOf(receiver.receivedAt('/between'), subscriptionId)).toEqual([2, 1, 1, 3]);
  });

  test('are counted from the requested time on', async () => {
    const { id } = await notifier.register(tenant, '/since');
    const subscriptionId = newId();
    await setActive(id, false);
    await announceTimes(3, subscriptionId);
    const [first, second] = await eventuallyStored(id, Array(3).fill('PAUSED'));
    const twoHoursAgo = new Date(Date.now() - 2 * hour);
    await deliveries().updateOne({ _id: first!._id }, { $set: { createdAt: twoHoursAgo } });
    await setActive(id, true);
    expect(await gapsOf(id)).toEqual([subscriptionGap(subscriptionId, 2, 3)]);
    expect(await gapsOf(id, new Date(Date.now() + hour))).toEqual([]);
    expect(await gapsOf(id, 'kept')).toEqual([subscriptionGap(subscriptionId, 1, 2, 3)]);
    expect(await replay(id, new Date(Date.now() + hour))).toBe(0);
    expect(await replay(id, second!.createdAt)).toBe(2);
    await eventuallyStored(id, ['PAUSED', 'DELIVERED', 'DELIVERED']);
    expect(await replay(id, twoHoursAgo)).toBe(1);
    await eventuallyStored(id, Array(3).fill('DELIVERED'));
  });

  test('are resent although the process that accepted the replay has died, and by several processes concurrently', async () => {
    const { receiver, mongo } = system;
    const { id } = await notifier.register(tenant, '/crashed');
    const ids = Array.from({ length: 3 }, newId).sort();
    await setActive(id, false);
    for (const subscriptionId of ids) await announceTimes(3, subscriptionId);
    await eventuallyStored(id, Array(9).fill('PAUSED'));
    await setActive(id, true);
    const now = new Date();
    const storedReplay: Replay = {
      _id: newId(),
      environmentId: tenant.environmentId,
      endpointId: id,
      since,
      requestedAt: now,
      dueAt: now,
      doneUpTo: '',
    };
    const store = new ReplayStore(mongo.db);
    // One step was done without its progress being recorded.
    await store.add(storedReplay);
    await store.resend(storedReplay, ids.slice(0, 1), now);
    const replica = await system.startNotifier({ retryScheduleMs: [hour], reconcileEveryMs: hour });
    await replay(id);
    await eventuallyStored(id, Array(9).fill('DELIVERED'));
    for (const subscriptionId of ids) {
      const sequences = sequencesOf(receiver.receivedAt('/crashed'), subscriptionId);
      expect([...new Set(sequences)]).toEqual([1, 2, 3]);
    }
    await eventually(async () => {
      expect(await mongo.db.collection('replays').countDocuments()).toBe(0);
    });
    await replica.stop();
  });

  test('are found in the log of their owner before they are accepted', async () => {
    const { owner } = system;
    const { id } = await notifier.register(tenant, '/behind');
    const other = await notifier.register(tenant, '/not-asked', ['subscription.created']);
    const subscriptionId = newId();
    await announceTimes(1, subscriptionId);
    await eventuallyStored(id, ['DELIVERED']);
    await owner.logOnly(tenant, subscriptionId, 2);
    await owner.logOnly(testTenant(), newId(), 1);
    // Callers within some seconds share one read of the logs.
    await eventually(async () => {
      expect(await gapsOf(id)).toEqual([subscriptionGap(subscriptionId, 2)]);
    });
    expect(await gapsOf(other.id)).toEqual([]);
    await owner.publish(subscriptionId, 2);
    await eventuallyStored(id, ['DELIVERED', 'DELIVERED']);
    expect(await gapsOf(id)).toEqual([]);
  });

  test('are resent with the delivered ones if all are requested: each once more, in order, with the same bytes', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/all');
    const subscriptionId = newId();
    await announceTimes(3, subscriptionId);
    await eventuallyStored(id, ['DELIVERED', 'DELIVERED', 'DELIVERED']);
    receiver.answer = () => ({ status: 410 });
    await announceTimes(1, subscriptionId);
    await eventuallyStored(id, ['DELIVERED', 'DELIVERED', 'DELIVERED', 'FAILED']);
    receiver.answer = () => ({ status: 204 });
    await setActive(id, true);

    expect(await replay(id, new Date(Date.now() + hour), true)).toBe(0);
    expect(await replay(id, since, true)).toBe(4);
    await eventuallyStored(id, Array<DeliveryStatus>(4).fill('DELIVERED'));
    const webhooks = receiver.receivedAt('/all');
    expect(sequencesOf(webhooks, subscriptionId)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    for (const [index, { text }] of webhooks.slice(4).entries()) {
      expect(text).toBe(webhooks[index]!.text);
    }
    expect(await gapsOf(id)).toEqual([]);
  });

  test('include an event that no log has and those that wait for it, of their environment alone', async () => {
    const { owner } = system;
    const { id } = await notifier.register(tenant, '/hole');
    const stranger = testTenant();
    const other = await notifier.register(stranger, '/no-hole');
    const checkouts = await notifier.register(tenant, '/other-kind', ['checkout.completed']);
    const every = await notifier.register(tenant, '/every-kind', ['*']);
    const subscriptionId = newId();
    await owner.logOnly(tenant, subscriptionId, 2);
    await owner.logOnly(tenant, subscriptionId, 3);
    // Another replica starts and reads the logs.
    await notifier.stop();
    notifier = await system.startNotifier(settings);
    await eventually(async () => {
      expect(await gapsOf(id)).toEqual([subscriptionGap(subscriptionId, 1, 2, 3)]);
    });
    expect(await gapsOf(every.id)).toEqual([subscriptionGap(subscriptionId, 1, 2, 3)]);
    expect(await gapsOf(checkouts.id)).toEqual([]);
    const caller = testContext({ tenant: stranger });
    const { gaps } = await notifier.deliveryCalls.listWebhookGaps(
      { endpointId: other.id, since },
      caller,
    );
    expect(gaps).toEqual([]);
  });

  test('are reported while a later event is only partly accepted, and that event with them', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/half');
    receiver.answer = () => ({ status: 503 });
    const subscriptionId = newId();
    await announceTimes(1, subscriptionId);
    await eventually(() => {
      expect(receiver.receivedAt('/half')).toHaveLength(1);
    });
    const [first] = await eventuallyStored(id, ['PENDING']);
    // Deliveries are stored before their message.
    const later = { _id: newId(), messageId: newId(), sequence: 2, previousId: first!._id };
    await deliveries().insertOne({ ...first!, ...later });

    expect(await gapsOf(id)).toEqual([subscriptionGap(subscriptionId, 1, 2)]);
  });

  test('are listed with their kind for checkout sessions, and without test webhooks', async () => {
    const { checkout } = system;
    const { id } = await notifier.register(tenant, '/checkouts', ['checkout.completed']);
    system.receiver.answer = () => ({ status: 410 });
    await notifier.deliveryCalls.sendTestWebhook({ id }, context);
    await eventuallyStored(id, ['FAILED']);
    const sessionId = newId();
    await checkout.announce(tenant, sessionId);
    await eventually(async () => {
      expect(await gapsOf(id)).toEqual([['checkoutSessionId', sessionId, [1]]]);
    });
    system.receiver.answer = () => ({ status: 204 });
    await setActive(id, true);
    await eventually(async () => {
      expect(await deliveries().countDocuments({ endpointId: id, status: 'PAUSED' })).toBe(1);
    });
    expect(await replay(id)).toBe(1);
    await eventually(async () => {
      expect(await gapsOf(id)).toEqual([]);
    });
  });

  test('of another environment or of no endpoint are unknown', async () => {
    const { id } = await notifier.register(tenant, '/known');
    const stranger = testContext();
    const unknown = { kind: 'not_found', reason: 'WEBHOOK_ENDPOINT_NOT_FOUND' };
    const { deliveryCalls } = notifier;
    for (const [endpointId, caller] of [
      [id, stranger],
      [newId(), context],
      ['x', context],
    ] as const) {
      const page = { page: 1, perPage: 20 };
      await expect(
        deliveryCalls.listWebhookGaps({ endpointId, since }, caller),
      ).rejects.toMatchObject(unknown);
      await expect(
        deliveryCalls.replayWebhooks({ endpointId, since, all: false }, caller),
      ).rejects.toMatchObject(unknown);
      await expect(
        deliveryCalls.listWebhookDeliveries({ endpointId, ...page }, caller),
      ).rejects.toMatchObject(unknown);
    }
    await expect(
      deliveryCalls.replayWebhooks({ endpointId: id, since: undefined, all: false }, context),
    ).rejects.toMatchObject({ fields: { since: ['Required'] } });
  });

  test('block none of their subscription if they are retried one by one', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/poison');
    const subscriptionId = newId();
    await announceTimes(1, subscriptionId);
    const [first] = await eventuallyStored(id, ['DELIVERED']);
    receiver.answer = ({ body }) => ({ status: body.sequence === 1 ? 500 : 204 });
    const request = { endpointId: id, id: first!._id };
    await notifier.deliveryCalls.retryWebhookDelivery(request, context);
    await eventually(async () => {
      const [retried] = await eventuallyStored(id, ['PENDING']);
      expect(retried).toMatchObject({ failures: 1, claim: null });
    });
    // The first delivery has arrived once.
    expect(await gapsOf(id)).toEqual([]);
    await announceTimes(2, subscriptionId);
    await eventuallyStored(id, ['PENDING', 'DELIVERED', 'DELIVERED']);
    expect(await replay(id)).toBe(0);
  });

  test('are not abandoned because they are replayed repeatedly', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/again');
    receiver.answer = () => ({ status: 503 });
    await announceTimes(1, newId());
    for (const times of [1, 2, 3]) {
      await eventually(() => {
        expect(receiver.receivedAt('/again')).toHaveLength(times);
      });
      await eventually(async () => {
        expect(await deliveries().findOne({ endpointId: id })).toMatchObject({ claim: null });
      });
      expect(await replay(id)).toBe(1);
    }
  });

  test('show when they are due, and are sent together with their predecessors if they are retried', async () => {
    const { receiver } = system;
    const { id } = await notifier.register(tenant, '/waiting');
    receiver.answer = () => ({ status: 503 });
    const subscriptionId = newId();
    await announceTimes(2, subscriptionId);
    const list = async () => {
      const page = { endpointId: id, page: 1, perPage: 20 };
      return (await notifier.deliveryCalls.listWebhookDeliveries(page, context)).deliveries;
    };
    const [second] = await eventually(async () => {
      const listed = await list();
      const { WEBHOOK_DELIVERY_STATUS_PENDING: status } = WebhookDeliveryStatus;
      expect(listed).toMatchObject([{ status }, { status, attempts: [{ responseStatus: 503 }] }]);
      for (const { nextAttemptAt } of listed) {
        expect(nextAttemptAt!.getTime()).toBeGreaterThan(Date.now() + hour / 2);
      }
      return listed;
    });
    receiver.answer = () => ({ status: 204 });
    const request = { endpointId: id, id: second!.id };
    await notifier.deliveryCalls.retryWebhookDelivery(request, context);
    await eventuallyStored(id, ['DELIVERED', 'DELIVERED']);
    expect(sequencesOf(receiver.receivedAt('/waiting'), subscriptionId)).toEqual([1, 1, 2]);
  });
});
