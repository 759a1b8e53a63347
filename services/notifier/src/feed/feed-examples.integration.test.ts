import { newId } from '@billing/chassis/ids';
import { testContext, testTenant } from '@billing/chassis/testing';
import { type Message, messageId } from '../message/message-store';
import { startSystem, type TestSystem } from '../testing/system';
import { appendToFeed } from './append-to-feed';
import type { FeedMessage } from './feed-run';
import { FeedStore } from './feed-store';

const clock = { now: () => new Date() };

describe('the feed on the store', () => {
  const tenant = testTenant();
  const { environmentId } = tenant;
  let system: TestSystem;
  let store: FeedStore;

  beforeAll(async () => {
    system = await startSystem('feed_examples');
    store = new FeedStore(system.mongo.db);
    await store.ensureIndexes();
  });

  beforeEach(async () => {
    for (const name of ['feed', 'messages']) {
      await system.mongo.db.collection(name).deleteMany({});
    }
  });

  afterAll(() => system.close());

  /** Stores an accepted message; no process appends it. */
  async function accept(
    subscriptionId: string,
    sequence: number,
    type = 'customer.updated',
  ): Promise<FeedMessage> {
    const key = { environmentId, subscriptionId, sequence };
    const message: Message = {
      ...{ ...key, _id: messageId(key), tenant, type },
      ...{ body: '{}', endpointIds: [], lastDeliveryIds: {}, traceparent: null },
      acceptedAt: clock.now(),
    };
    await system.mongo.db.collection<Message>('messages').insertOne(message);
    return message;
  }

  const feedFrom = async (position: number) =>
    (await store.readAfter(environmentId, position, 100)).map((entry) => [
      entry.position,
      entry.messageId,
    ]);

  test('gives no message the position of another, nor one before its predecessor', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, index) => accept(newId(), 1, `meter.${String(index)}`)),
    );
    await appendToFeed(environmentId, others, { log: store, clock });
    const subject = newId();
    const [a1, a2] = [await accept(subject, 1), await accept(subject, 2)];
    const b1 = await accept(newId(), 1);
    const plans: unknown[] = [];
    // The other process inserts between the plan of this one and its insert.
    const log = {
      lastPosition: (id: string) => store.lastPosition(id),
      findPlaced: (...of: Parameters<FeedStore['findPlaced']>) => store.findPlaced(...of),
      findMessages: (...of: Parameters<FeedStore['findMessages']>) => store.findMessages(...of),
      insert: async (id: string, end: number, run: readonly FeedMessage[]) => {
        if (plans.length === 0) expect(await store.insert(id, 4, [b1])).toBe(1);
        const inserted = await store.insert(id, end, run);
        plans.push({ end, run: run.map(({ _id }) => _id), inserted });
        return inserted;
      },
    };
    await appendToFeed(environmentId, [a2, a1], { log, clock });
    expect(plans).toEqual([
      { end: 4, run: [a1._id, a2._id], inserted: 0 },
      { end: 5, run: [a1._id, a2._id], inserted: 2 },
    ]);
    expect(await feedFrom(4)).toEqual([
      [5, b1._id],
      [6, a1._id],
      [7, a2._id],
    ]);
  });

  test('with invoices at two of ten positions says that all ten were looked at', async () => {
    for (let position = 1; position <= 10; position += 1) {
      const type = [2, 5].includes(position) ? 'invoice.paid' : 'customer.created';
      const message = await accept(newId(), 1, type);
      await appendToFeed(environmentId, [message], { log: store, clock });
    }
    const { feedCalls } = await system.startNotifier();
    const query = { after: undefined, limit: 100, types: ['invoice.*'], waitMs: 0 };
    const { events, nextAfter } = await feedCalls.listWebhookEvents(query, testContext({ tenant }));
    expect(events.map(({ position }) => Number(position))).toEqual([2, 5]);
    expect(nextAfter).toBe('10');
  });
});
