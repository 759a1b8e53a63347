import type { Tenant } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type { Attempt } from '../delivery/attempt-store';
import { AwaitedEventStore } from '../message/awaited-event-store';
import { DeliveryDayStore } from '../delivery/day-store';
import type { Delivery } from '../delivery/delivery';
import { type FeedEntry, FeedStore } from '../feed/feed-store';
import { type Message, MessageStore } from '../message/message-store';
import { RetentionStore } from './retention-store';
import { RetentionWorker } from './retention-worker';
import { type RunningNotifier, sequencesOf, startSystem, type TestSystem } from '../testing/system';

const day = 24 * 3_600_000;

describe('a sent webhook', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let tenant: Tenant;
  let retention: RetentionWorker;

  beforeAll(async () => {
    system = await startSystem('retention');
    notifier = await system.startNotifier({ retryScheduleMs: [day, day], timeoutMs: 60_000 });
    const { db } = system.mongo;
    const stores = {
      retained: new RetentionStore(db),
      messages: new MessageStore(db),
      dayTotals: new DeliveryDayStore(db),
      awaited: new AwaitedEventStore(db),
      feed: new FeedStore(db),
    };
    retention = new RetentionWorker({
      ...stores,
      clock: systemClock,
      restoreCodes: () => [],
    });
  });

  beforeEach(() => {
    tenant = testTenant();
    system.receiver.answer = () => ({ status: 204 });
  });

  afterAll(() => system.close());

  const messages = () => system.mongo.db.collection<Message>('messages');
  const deliveries = () => system.mongo.db.collection<Delivery>('deliveries');
  const feed = () => system.mongo.db.collection<FeedEntry>('feed');
  const attempts = () => system.mongo.db.collection<Attempt>('attempts');

  /** Ages messages and everything that belongs to them. */
  async function age(subscriptionId: string, days: number): Promise<void> {
    const at = new Date(Date.now() - days * day);
    const ids = await messages().distinct('_id', { subscriptionId, sequence: { $gt: 0 } });
    await eventually(async () => {
      expect(await feed().countDocuments({ messageId: { $in: ids } })).toBe(ids.length);
    });
    await feed().updateMany({ messageId: { $in: ids } }, { $set: { acceptedAt: at } });
    await messages().updateMany({ subscriptionId }, { $set: { acceptedAt: at } });
    await deliveries().updateMany({ subscriptionId }, { $set: { createdAt: at } });
  }

  function eventuallyDelivered(subscriptionId: string, count: number): Promise<Delivery[]> {
    return eventually(async () => {
      const found = await deliveries().find({ subscriptionId, status: 'DELIVERED' }).toArray();
      expect(found).toHaveLength(count);
      return found;
    });
  }

  async function kept(subscriptionId: string) {
    const found = await messages().find({ subscriptionId }).sort({ sequence: 1 }).toArray();
    return {
      messages: found.map(({ sequence }) => sequence),
      deliveries: await deliveries().countDocuments({ subscriptionId }),
    };
  }

  test('is removed after thirty days except for the last of its subscription, and not a day before', async () => {
    const { owner } = system;
    await notifier.register(tenant, '/aged');
    const [old, recent] = [newId(), newId()];
    for (const id of [old, old, old]) await owner.announce(tenant, id);
    const sent = await eventuallyDelivered(old, 3);
    for (const id of [recent, recent]) await owner.announce(tenant, id);
    await eventuallyDelivered(recent, 2);
    await age(old, 31);
    await age(recent, 29);
    await retention.run();
    expect(await kept(old)).toEqual({ messages: [3], deliveries: 0 });
    expect(await kept(recent)).toEqual({ messages: [1, 2], deliveries: 2 });
    const deliveryId = { $in: sent.map(({ _id }) => _id) };
    expect(await attempts().countDocuments({ deliveryId })).toBe(0);
    await retention.run();
    expect(await kept(old)).toEqual({ messages: [3], deliveries: 0 });
  });

  test('of a subscription silent for forty days is followed by the next in order', async () => {
    const { owner, receiver } = system;
    await notifier.register(tenant, '/silent');
    const id = newId();
    for (const subscriptionId of [id, id, id]) await owner.announce(tenant, subscriptionId);
    await eventuallyDelivered(id, 3);
    await age(id, 40);
    await retention.run();
    await owner.announce(tenant, id);
    await eventuallyDelivered(id, 1);
    await age(id, 40);
    await retention.run();
    // An event lost by the stream is revealed by the next one.
    await owner.logOnly(tenant, id, 5);
    await owner.logOnly(tenant, id, 6);
    await owner.publish(id, 6);
    await eventuallyDelivered(id, 2);
    expect(sequencesOf(receiver.receivedAt('/silent'), id)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('stays while it is pending, and is sent when it becomes due', async () => {
    const { owner, receiver } = system;
    const { id: endpointId } = await notifier.register(tenant, '/on-its-way');
    receiver.answer = () => ({ status: 500 });
    const id = newId();
    for (const subscriptionId of [id, id, id]) await owner.announce(tenant, subscriptionId);
    await eventually(async () => {
      expect(await deliveries().countDocuments({ subscriptionId: id, failures: 1 })).toBe(1);
    });
    await age(id, 31);
    await retention.run();
    expect(await kept(id)).toEqual({ messages: [1, 2, 3], deliveries: 3 });
    receiver.answer = () => ({ status: 204 });
    const [first] = await deliveries().find({ subscriptionId: id }).sort({ sequence: 1 }).toArray();
    await notifier.deliveryCalls.retryWebhookDelivery(
      { endpointId, id: first!._id },
      testContext({ tenant }),
    );
    await eventuallyDelivered(id, 3);
    await retention.run();
    expect(await kept(id)).toEqual({ messages: [3], deliveries: 0 });
  });

  test('of a mail is removed like all others, as none follows it', async () => {
    const id = newId();
    // The newest entry of a feed keeps its message.
    const { environmentId } = tenant;
    for (const [entriesBefore, subscriptionId] of [id, newId()].entries()) {
      await system.owner.announce(tenant, subscriptionId);
      await eventually(async () => {
        expect(await feed().countDocuments({ environmentId })).toBe(entriesBefore + 1);
      });
    }
    await messages().updateOne({ subscriptionId: id }, { $set: { type: 'email.bounced' } });
    await age(id, 31);
    await retention.run();
    expect(await kept(id)).toEqual({ messages: [], deliveries: 0 });
  });

  test('of a test is removed like all others, as none follows it', async () => {
    const { id } = await notifier.register(tenant, '/tested');
    const { deliveryId } = await notifier.deliveryCalls.sendTestWebhook(
      { id },
      testContext({ tenant }),
    );
    const { messageId } = await eventually(async () => {
      const found = await deliveries().findOne({ _id: deliveryId, status: 'DELIVERED' });
      expect(found).not.toBeNull();
      return found!;
    });
    await age(messageId, 31);
    await retention.run();
    expect(await kept(messageId)).toEqual({ messages: [], deliveries: 0 });
  });

  test('is not recreated from any source after its removal', async () => {
    const { owner, receiver, mongo } = system;
    await notifier.register(tenant, '/gone-for-good');
    const id = newId();
    for (const subscriptionId of [id, id, id]) await owner.announce(tenant, subscriptionId);
    await eventuallyDelivered(id, 3);
    await age(id, 31);
    await retention.run();
    // The cursor is gone: the log is read again from its beginning.
    await notifier.stop();
    await mongo.db.collection('eventLogCursors').deleteMany({});
    const fresh = await system.startNotifier({ reconcileEveryMs: 200 });
    await eventually(async () => {
      expect(await mongo.db.collection('eventLogCursors').countDocuments()).toBeGreaterThan(0);
    });
    expect(await kept(id)).toEqual({ messages: [3], deliveries: 0 });
    // The end of a clock advance or an export reads the log of its environment, too.
    await fresh.feedCalls.settleWebhookEvents({}, testContext({ tenant }));
    expect(await kept(id)).toEqual({ messages: [3], deliveries: 0 });
    expect(sequencesOf(receiver.receivedAt('/gone-for-good'), id)).toEqual([1, 2, 3]);
    await fresh.stop();
  });
});
