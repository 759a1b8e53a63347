import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { monotonicMs } from '@billing/chassis/clock';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type { Message } from '../message/message-store';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';
import { FeedStore, type FeedEntry } from './feed-store';
import { removeOldEntries } from './feed-retention-worker';

const day = 24 * 3_600_000;

describe('the feed of an environment', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let other: RunningNotifier;
  let tenant: Tenant;

  beforeAll(async () => {
    system = await startSystem('feed');
    notifier = await system.startNotifier();
    other = await system.startNotifier();
  });

  beforeEach(() => {
    tenant = testTenant();
  });

  afterAll(() => system.close());

  const feed = () => system.mongo.db.collection<FeedEntry>('feed');
  const messages = () => system.mongo.db.collection<Message>('messages');

  const read = (
    query: { after?: string; limit?: number; types?: string[]; waitMs?: number } = {},
    from = notifier,
  ) =>
    from.feedCalls.listWebhookEvents(
      { after: undefined, limit: 100, types: [], waitMs: 0, ...query },
      testContext({ tenant }),
    );

  const eventuallyRead = (count: number) =>
    eventually(async () => {
      const page = await read();
      expect(page.events).toHaveLength(count);
      return page;
    });

  async function announce(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await system.owner.announce(tenant, id);
  }

  test('holds every event once, with the bytes of its webhook, whether an endpoint asks or not', async () => {
    await notifier.register(tenant, '/feed');
    const [one, two] = [newId(), newId()];
    await announce(one, two, one);
    await system.checkout.announce(tenant, newId());
    const { events, nextAfter, oldest, newest } = await eventuallyRead(4);
    expect(events.map(({ position }) => Number(position))).toEqual([1, 2, 3, 4]);
    expect({ nextAfter, oldest, newest }).toEqual({ nextAfter: '4', oldest: '1', newest: '4' });
    const sequences = events
      .filter(({ subjectId }) => subjectId === one)
      .map(({ body }) => JSON.parse(body).sequence as number);
    expect(sequences).toEqual([1, 2]);
    expect(new Set(events.map(({ subjectType }) => subjectType))).toEqual(
      new Set(['subscription', 'checkout_session']),
    );
    await eventually(() => {
      const sent = new Set(system.receiver.receivedAt('/feed').map(({ text }) => text));
      const ofSubscriptions = events.filter(({ subjectType }) => subjectType === 'subscription');
      expect(sent).toEqual(new Set(ofSubscriptions.map(({ body }) => body)));
    });
    const [first] = events;
    const { id } = JSON.parse(first!.body) as { id: string };
    const { event } = await notifier.feedCalls.getWebhookEvent({ id }, testContext({ tenant }));
    expect(event).toEqual(first);
  });

  test('is unknown to other environments', async () => {
    await announce(newId());
    const { events } = await eventuallyRead(1);
    const { id } = JSON.parse(events[0]!.body) as { id: string };
    const stranger = testContext({ tenant: testTenant() });
    await expect(notifier.feedCalls.getWebhookEvent({ id }, stranger)).rejects.toMatchObject({
      reason: 'WEBHOOK_EVENT_NOT_FOUND',
    });
  });

  test('is read in pages of some types, which say how far they looked', async () => {
    // Events of two services have no order among each other, so each is awaited before the next.
    await announce(newId());
    await eventuallyRead(1);
    await system.checkout.announce(tenant, newId());
    await eventuallyRead(2);
    await announce(newId());
    await eventuallyRead(3);
    const first = await read({ types: ['subscription.*'], limit: 1 });
    expect(first).toMatchObject({ nextAfter: '1', newest: '3' });
    const second = await read({ types: ['checkout.*'], after: first.nextAfter });
    expect(second.events).toHaveLength(1);
    expect(second.nextAfter).toBe('3');
    const empty = await read({ after: '3' });
    expect(empty).toMatchObject({ events: [], nextAfter: '3' });
    await expect(read({ types: ['*'] })).rejects.toMatchObject({
      fields: { types: ['Unknown event: *'] },
    });
  });

  test.each([
    ['of the process that appends', () => notifier, () => notifier],
    ['of another process', () => notifier, () => other],
  ])('wakes a waiting reader %s', async (_who, one, another) => {
    let count = 1;
    await announce(newId());
    // A busy machine may need several events until one arrives within the wait.
    await eventually(async () => {
      const { newest: after } = await eventuallyRead(count);
      const started = monotonicMs();
      const waiting = Promise.all(
        [one(), another()].map((from) => read({ after, waitMs: 20_000 }, from)),
      );
      await announce(newId());
      count += 1;
      for (const page of await waiting) expect(page.events).toHaveLength(1);
      expect(monotonicMs() - started).toBeLessThan(15_000);
    });
  });

  test('lets a reader wait for a type only, and no longer than it asked', async () => {
    await announce(newId());
    await eventuallyRead(1);
    const page = await read({ types: ['checkout.*'], waitMs: 300 });
    expect(page).toMatchObject({ events: [], nextAfter: '1' });
  });

  test('has no gap when two processes append for one environment', async () => {
    const ids = Array.from({ length: 10 }, () => newId());
    await Promise.all(ids.map((id) => announce(id, id, id)));
    const { events } = await eventuallyRead(30);
    expect(events.map(({ position }) => Number(position))).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    const last = new Map<string, number>();
    for (const { subjectId, body } of events) {
      const { sequence } = JSON.parse(body) as { sequence: number };
      expect(sequence).toBe((last.get(subjectId) ?? 0) + 1);
      last.set(subjectId, sequence);
    }
  });

  test('takes along what a process that died has accepted and not appended', async () => {
    const id = newId();
    await announce(id, id);
    await eventuallyRead(2);
    await feed().deleteMany({ environmentId: tenant.environmentId });
    await announce(id);
    const { events } = await eventuallyRead(3);
    expect(events.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2, 3]);
  });

  test('loses its oldest events after thirty days, but never the newest', async () => {
    const id = newId();
    await announce(id, id, id);
    await eventuallyRead(3);
    const { environmentId } = tenant;
    const old = new Date(Date.now() - 31 * day);
    const store = new FeedStore(system.mongo.db);
    const keptSince = new Date(Date.now() - 30 * day);
    const [first, second] = await feed().find({ environmentId }).sort({ _id: 1 }).toArray();
    const young = [second!._id];
    await feed().updateMany({ environmentId, _id: { $nin: young } }, { $set: { acceptedAt: old } });
    await removeOldEntries(store, keptSince);
    expect((await read()).oldest).toBe('2');
    await expect(read({ after: '0' })).rejects.toMatchObject({ reason: 'CURSOR_EXPIRED' });
    expect((await read({ after: '1' })).events).toHaveLength(2);
    await feed().updateMany({ environmentId }, { $set: { acceptedAt: old } });
    await removeOldEntries(store, keptSince);
    expect(await read()).toMatchObject({ oldest: '3', newest: '3' });
    expect(first?.messageId).toBeDefined();
    // Its message stays as long as it can be read.
    expect(await messages().countDocuments({ environmentId })).toBe(3);
  });
});

test('messages from before the feed are appended in the order of their acceptance', async () => {
  const system = await startSystem('feed_backfill');
  try {
    const tenant = testTenant();
    const { environmentId } = tenant;
    const before = await system.startNotifier();
    const ids = [newId(), newId()];
    for (const id of [...ids, ...ids]) await system.owner.announce(tenant, id);
    const { db } = system.mongo;
    await eventually(async () => {
      expect(await db.collection('feed').countDocuments({ environmentId })).toBe(4);
    });
    await system.stopNotifiers();
    expect(before).toBeDefined();
    await db.collection('feed').deleteMany({});
    await db.collection('feedSweeps').deleteMany({});
    const stored = db.collection<Message>('messages');
    const accepted = await stored.find({ environmentId }).sort({ sequence: 1 }).toArray();
    const firstAcceptedAt = Date.now();
    for (const [index, { _id }] of accepted.entries()) {
      // Messages of one millisecond have no order.
      const acceptedAt = new Date(firstAcceptedAt + index);
      await stored.updateOne({ _id, environmentId }, { $set: { acceptedAt } });
    }
    const after = await system.startNotifier();
    await eventually(async () => {
      const { events } = await after.feedCalls.listWebhookEvents(
        { after: '0', limit: 10, types: [], waitMs: 0 },
        testContext({ tenant }),
      );
      const read = events.map(({ body }) => (JSON.parse(body) as { id: string }).id);
      expect(read).toEqual(accepted.map(({ _id }) => _id));
    });
  } finally {
    await system.close();
  }
});
