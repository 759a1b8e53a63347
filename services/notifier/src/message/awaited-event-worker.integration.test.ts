import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { AwaitedEventStore } from './awaited-event-store';
import { AwaitedEventWorker } from './awaited-event-worker';
import type { MessageKey } from './message-store';

const configuration = testServiceConfiguration('awaited_events');
const logger = createLogger({ service: 'test', level: 'silent' });
const now = new Date('2026-06-01T12:00:00.000Z');

let mongo: MongoConnection;
let awaited: AwaitedEventStore;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  awaited = new AwaitedEventStore(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** Stores one wait for each of some new subscriptions. */
async function waitingSubscriptions(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  for (const _id of ids) {
    const wait = { _id, environmentId: newId(), subjectType: 'subscription', from: 1, upTo: 2 };
    await awaited.store({ ...wait, since: now, latestAt: now, tryAt: now });
  }
  return ids;
}

function workerWith(acceptUpTo: (key: MessageKey) => Promise<void>): AwaitedEventWorker {
  const clock = { ...systemClock, now: () => now };
  return new AwaitedEventWorker({ awaited, consumer: { acceptUpTo }, clock, logger });
}

describe('events that wait for an earlier one', () => {
  test('are retried while the log of another subscription answers slowly', async () => {
    const [slow = '', quick = ''] = await waitingSubscriptions(2);
    const answered = Promise.withResolvers<undefined>();
    const accepted = Promise.withResolvers<string>();
    const running = workerWith(async ({ subscriptionId }) => {
      if (subscriptionId === slow) await answered.promise;
      else accepted.resolve(subscriptionId);
    }).run();
    expect(await accepted.promise).toBe(quick);
    answered.resolve(undefined);
    await running;
    expect(await awaited.findWaiting([slow, quick])).toEqual(new Set());
  });

  test('are counted after two minutes, those of sandboxes apart', async () => {
    const since = new Date(now.getTime() - 3 * 60_000);
    const waits = [{ live: true }, { live: false }, {}, { live: false, since: now }];
    const before = await workerWith(() => Promise.resolve()).count();
    for (const wait of waits) {
      const key = { _id: newId(), environmentId: newId(), subjectType: 'subscription' };
      const times = { since, latestAt: now, tryAt: new Date(now.getTime() + 60_000) };
      await awaited.store({ ...key, from: 1, upTo: 2, ...times, ...wait });
    }
    // A wait of an earlier release names no environment's kind.
    expect(await workerWith(() => Promise.resolve()).count()).toEqual({
      live: before.live + 2,
      sandbox: before.sandbox + 1,
    });
  });

  test('are not retried once the process stops, and stay stored', async () => {
    const ids = await waitingSubscriptions(30);
    const stopping = new AbortController();
    const tried: string[] = [];
    const worker = workerWith(({ subscriptionId }) => {
      tried.push(subscriptionId);
      stopping.abort();
      return Promise.resolve();
    });
    await worker.run(stopping.signal);
    expect(tried).toHaveLength(1);
    expect((await awaited.findWaiting(ids)).size).toBe(29);
  });
});
