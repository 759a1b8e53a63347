import { DataKeys } from '@billing/chassis/data-keys';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { eventLogId, toEnvelope } from '@billing/chassis/event-log';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import {
  dropTestDatabase,
  emptyTestDatabase,
  testServiceConfiguration,
  testTenant,
} from '@billing/chassis/testing';
import { SubscriptionEvent } from '@billing/proto/billing/event/v1/subscription_event';
import { AwaitedEventStore } from './awaited-event-store';
import { AwaitedEventWorker } from './awaited-event-worker';
import { CursorStore } from './cursor-store';
import { DeliveryStore } from '../delivery/delivery-store';
import { EndpointStore } from '../endpoint/endpoint-store';
import { OrderedEventConsumer } from './accept-in-order';
import { EventConsumer } from './accept-event';
import { EventReconciliation } from './reconciliation-worker';
import { acceptFromStream } from './accept-from-stream';
import { readEvent } from './events';
import { messageId, type MessageKey, MessageStore } from './message-store';
import type { EventLogOwner, LoggedEvent } from '../peer/peers';
import { SlotStore } from '../endpoint/slot-store';
import { webhookEndpoints } from '../endpoint/endpoint-document';
import { testDataKeys } from '../testing/system';
import { subscriptionEvent } from '../testing/event-owner';

const minute = 60_000;
const roundMs = 5_000;

describe('events in the log of a service that sometimes fails', () => {
  const tenant = testTenant();
  const { environmentId } = tenant;
  const configuration = testServiceConfiguration('ordered_events');
  const logger = createLogger({ service: 'test', level: 'silent' });
  let mongo: MongoConnection;
  let messages: MessageStore;
  let cursors: CursorStore;
  let awaited: AwaitedEventStore;
  let reads: number;
  let consumer: EventConsumer;
  let log: LoggedEvent[];
  let now: Date;
  let owner: EventLogOwner;
  let isReachable: boolean;
  let ordered: OrderedEventConsumer;
  let reconciliation: EventReconciliation;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
  });

  beforeEach(async () => {
    const { db } = mongo;
    await emptyTestDatabase(mongo);
    const clock = { ...systemClock, now: () => now };
    const definition = webhookEndpoints(new DataKeys(testDataKeys));
    const aggregates = new AggregateCollection(db, definition, { clock });
    messages = new MessageStore(db);
    cursors = new CursorStore(db);
    awaited = new AwaitedEventStore(db);
    reads = 0;
    const endpoints = new EndpointStore({
      aggregates,
      slots: new SlotStore(db),
      policyOf: () => ({ allowLoopback: true }),
      clock,
    });
    const deliveries = new DeliveryStore(db);
    const onDeliveries = () => undefined;
    consumer = new EventConsumer({ endpoints, messages, deliveries, clock, onDeliveries });
    log = [];
    now = new Date('2026-06-01T12:00:00.000Z');
    isReachable = true;
    owner = {
      name: 'subscription',
      read: (start, limit) => {
        const entries = log
          .filter(({ position, insertedAt }) => {
            if ('after' in start) return position > start.after;
            return 'beginning' in start || insertedAt >= start.insertedAfter;
          })
          .toSorted((a, b) => (a.position < b.position ? -1 : 1));
        reads += 1;
        const page = { entries: entries.slice(0, limit), hasMore: entries.length > limit };
        return isReachable ? Promise.resolve(page) : Promise.reject(new Error('unreachable'));
      },
      readEnvironment: () => Promise.reject(new Error('not read')),
      find: (ids) => {
        const entries = log.filter(({ id }) => ids.includes(id)).slice(0, 2);
        return isReachable
          ? Promise.resolve({ entries, hasMore: entries.length < ids.length })
          : Promise.reject(new Error('unreachable'));
      },
    };
    ordered = new OrderedEventConsumer({ owners: [owner], messages, consumer, logger });
    reconciliation = reconcile();
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  function reconcile(
    replaced: Partial<ConstructorParameters<typeof EventReconciliation>[0]> = {},
  ): EventReconciliation {
    const clock = { ...systemClock, now: () => now };
    const owners = [owner];
    const worker = new AwaitedEventWorker({ awaited, consumer: ordered, clock, logger });
    return new EventReconciliation({
      ...{ owners, cursors, messages, consumer: ordered, clock, logger },
      ...{ awaited: worker, replica: newId(), isAlone: () => false },
      ...replaced,
    });
  }

  function add(
    aggregateId: string,
    sequence: number,
    { agoMs = 0, data }: { agoMs?: number; data?: string } = {},
  ): LoggedEvent {
    const insertedAt = new Date(now.getTime() - agoMs);
    const entry = {
      id: eventLogId({ aggregateId, sequence }),
      position: `${insertedAt.toISOString()}/${String(log.length).padStart(4, '0')}`,
      insertedAt,
      traceparent: undefined,
      envelope: toEnvelope({
        service: 'subscription',
        aggregate: 'subscription',
        aggregateId,
        sequence,
        type: 'subscription.renewed',
        at: insertedAt,
        tenant,
        data:
          data ?? JSON.stringify(SubscriptionEvent.toJSON(subscriptionEvent(tenant, aggregateId))),
      }),
    };
    log.push(entry);
    return entry;
  }

  async function typesOf(subscriptionId: string, count: number): Promise<(string | undefined)[]> {
    const ids = Array.from({ length: count }, (_, index) =>
      messageId({ environmentId, subscriptionId, sequence: index + 1 }),
    );
    const found = await messages.findAll(environmentId, ids);
    return ids.map((id) => found.get(id)?.type);
  }

  async function runRounds(rounds: number, subject = reconciliation): Promise<void> {
    for (let round = 1; round <= rounds; round += 1) {
      await subject.run().catch(() => undefined);
      now = new Date(now.getTime() + roundMs);
    }
  }

  const accepted = 'subscription.renewed';

  test('that could not be accepted are not lost when later ones are accepted, even if they are older than the overlap', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    add(first, 1, { agoMs: 120 * minute });
    add(second, 1, { agoMs: 60 * minute });
    let isBroken = true;
    const broken: OrderedEventConsumer['acceptLogged'] = (announcement) =>
      isBroken && announcement.key.subscriptionId === first
        ? Promise.reject(new Error('database went away'))
        : ordered.acceptLogged(announcement);
    const subject = reconcile({
      consumer: {
        acceptLogged: broken,
        acceptUpTo: (key) => ordered.acceptUpTo(key),
      },
    });
    await runRounds(1, subject);
    add(third, 1);
    await runRounds(1, subject);
    expect(await cursors.find('subscription')).toBeUndefined();
    isBroken = false;
    await runRounds(1, subject);

    for (const id of [first, second, third]) expect(await typesOf(id, 1)).toEqual([accepted]);
    expect(await cursors.find('subscription')).toMatchObject({ position: log.at(-1)?.position });
  });

  test('are read again from the cursor after a round that failed', async () => {
    const [first, second] = [newId(), newId()];
    add(first, 1, { agoMs: 60 * minute });
    let isBroken = false;
    const subject = reconcile({
      messages: {
        findLacking: <T extends { readonly key: MessageKey }>(events: readonly T[]) =>
          isBroken ? Promise.reject(new Error('database went away')) : messages.findLacking(events),
      } as MessageStore,
    });
    await runRounds(1, subject);
    isBroken = true;
    now = new Date(now.getTime() + minute);
    // Belongs to the overlap, whose read fails.
    const late = add(second, 1, { agoMs: 62 * minute });
    await runRounds(1, subject);
    isBroken = false;
    await runRounds(1, subject);

    expect(late.position < (log[0]?.position ?? '')).toBe(true);
    expect(await typesOf(second, 1)).toEqual([accepted]);
  });

  test('are fetched by their ids when a later one reveals the hole, however old they are', async () => {
    const id = newId();
    add(newId(), 1);
    await runRounds(1);
    // Logged by a replica whose clock is an hour slow; the stream has lost all but the last.
    for (let sequence = 1; sequence <= 5; sequence += 1) add(id, sequence, { agoMs: 60 * minute });
    await runRounds(30);
    expect(await typesOf(id, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    await acceptFromStream(log.at(-1)?.envelope ?? '', { consumer: ordered, reconciliation });

    expect(await typesOf(id, 5)).toEqual(Array.from({ length: 5 }, () => accepted));
  });

  test('that must wait are acknowledged to the stream, and accepted as soon as the log can be read', async () => {
    const id = newId();
    for (let sequence = 1; sequence <= 4; sequence += 1) add(id, sequence, { agoMs: 60 * minute });
    // The log has been read beyond them.
    await cursors.store({ _id: 'subscription', position: now.toISOString(), insertedAt: now });
    isReachable = false;
    for (const { envelope } of log.slice(1)) {
      await acceptFromStream(envelope, { consumer: ordered, reconciliation });
    }
    expect(await typesOf(id, 4)).toEqual([undefined, undefined, undefined, undefined]);
    isReachable = true;
    await reconciliation.stop();
    await runRounds(2);

    expect(await typesOf(id, 4)).toEqual(Array.from({ length: 4 }, () => accepted));
    expect(reconciliation.isExpecting(readEvent(log[0]?.envelope ?? '')!)).toBe(false);
  });

  test('that are unreadable leave a mark, so that later ones are accepted', async () => {
    const [id, other, unknown] = [newId(), newId(), newId()];
    add(id, 1);
    add(id, 2, { data: '{}' });
    add(id, 3);
    add(other, 1, { data: '1' });
    log.push({ ...add(unknown, 1), envelope: 'nonsense' });
    log.splice(-2, 1);
    await runRounds(1);

    expect(await typesOf(id, 3)).toEqual([accepted, 'unreadable', accepted]);
    expect(await typesOf(other, 1)).toEqual(['unreadable']);
    // The aggregate is unknown until a later event follows.
    expect(await typesOf(unknown, 1)).toEqual([undefined]);
    expect(await cursors.find('subscription')).toMatchObject({ position: log.at(-1)?.position });
    const next = add(unknown, 2);
    await acceptFromStream(next.envelope, { consumer: ordered, reconciliation });
    expect(await typesOf(unknown, 2)).toEqual(['unreadable', accepted]);
  });

  test('of a later type are kept with those behind them, and accepted by a release that knows it', async () => {
    const id = newId();
    const first = add(id, 1);
    log = [{ ...first, envelope: first.envelope.replace('renewed', 'paused') }, add(id, 2)];
    await acceptFromStream(log[1]!.envelope, { consumer: ordered, reconciliation });
    await runRounds(1);
    now = new Date(now.getTime() + 3 * 24 * 60 * minute);
    await runRounds(2);
    log[0] = first;
    await runRounds(13);
    expect(await typesOf(id, 2)).toEqual([accepted, accepted]);
  });

  describe('behind an entry that is missing', () => {
    let id: string;
    let others: string[];

    beforeEach(async () => {
      id = newId();
      add(id, 2);
      add(id, 3);
      others = Array.from({ length: 250 }, () => newId());
      for (const other of others) add(other, 1);
      await runRounds(1);
    });

    test('of another subscription are accepted, and the cursor passes', async () => {
      for (const other of others) expect(await typesOf(other, 1)).toEqual([accepted]);
      const { position } = log.at(-1)!;
      expect(await cursors.find('subscription')).toMatchObject({ position });
      reads = 0;
      await runRounds(5);
      expect(reads).toBe(5);
    });

    test('of the same subscription are accepted once the entry appears, however late', async () => {
      await runRounds(20);
      expect(await typesOf(id, 3)).toEqual([undefined, undefined, undefined]);
      add(id, 1, { agoMs: 60 * minute });
      await runRounds(20);
      expect(await typesOf(id, 3)).toEqual([accepted, accepted, accepted]);
      expect(await awaited.findOfEnvironment(environmentId, new Date(0))).toEqual([]);
    });

    test('of the same subscription are accepted after an hour, with a mark in place of the missing one', async () => {
      now = new Date(now.getTime() + 59 * minute);
      await runRounds(2);
      expect(await typesOf(id, 3)).toEqual([undefined, undefined, undefined]);
      expect(await awaited.findOfEnvironment(environmentId, new Date(0))).toMatchObject([
        { _id: id, from: 1, upTo: 3 },
      ]);
      now = new Date(now.getTime() + minute);
      await runRounds(1);
      add(id, 4);
      await runRounds(1);

      expect(await typesOf(id, 4)).toEqual(['missing', accepted, accepted, accepted]);
      expect(await awaited.findOfEnvironment(environmentId, new Date(0))).toEqual([]);
      expect(await awaited.findMissing(environmentId, new Date(0))).toMatchObject([
        { subscriptionId: id, sequence: 1 },
      ]);
    });

    test('are not abandoned while the owner of the log cannot confirm that it is missing', async () => {
      isReachable = false;
      now = new Date(now.getTime() + 120 * minute);
      await runRounds(20);
      expect(await typesOf(id, 3)).toEqual([undefined, undefined, undefined]);
      add(id, 1, { agoMs: 180 * minute });
      isReachable = true;
      await runRounds(20);
      expect(await typesOf(id, 3)).toEqual([accepted, accepted, accepted]);
    });
  });

  test('that can never be accepted block no cursor for longer than some minutes', async () => {
    const [broken, other] = [newId(), newId()];
    add(broken, 1);
    add(other, 1);
    const subject = reconcile({
      consumer: {
        acceptLogged: (announcement) =>
          announcement.key.subscriptionId === broken
            ? Promise.reject(new Error('a fault'))
            : ordered.acceptLogged(announcement),
        acceptUpTo: (key) => ordered.acceptUpTo(key),
      },
    });
    await runRounds(2, subject);
    expect(await cursors.find('subscription')).toBeUndefined();
    now = new Date(now.getTime() + 3 * minute);
    await runRounds(1, subject);
    expect(await cursors.find('subscription')).toMatchObject({ position: log.at(-1)?.position });
  });

  test('are read by one replica, and by another once that has stopped or died', async () => {
    const second = reconcile();
    for (let round = 1; round <= 3; round += 1) {
      await second.run();
      await runRounds(1);
    }
    // From the second replica only, which came first.
    expect(reads).toBe(3);
    reads = 0;

    await second.stop();
    await runRounds(1);
    expect(reads).toBe(1);

    const third = reconcile();
    now = new Date(now.getTime() + minute);
    await runRounds(1, third);
    expect(reads).toBe(2);
  });

  test('of a subscription whose earlier failure was long ago are retried before they are parked', async () => {
    const [id, other] = [newId(), newId()];
    add(id, 1);
    let isBroken = true;
    const subject = reconcile({
      consumer: {
        acceptLogged: (announcement) =>
          isBroken && announcement.key.subscriptionId === id
            ? Promise.reject(new Error('database went away'))
            : ordered.acceptLogged(announcement),
        acceptUpTo: (key) => ordered.acceptUpTo(key),
      },
    });
    await runRounds(1, subject);
    // The stream delivers the event, so that no later round meets it.
    await ordered.accept(readEvent(log[0]?.envelope ?? '')!);
    add(other, 1);
    await runRounds(1, subject);
    now = new Date(now.getTime() + 10 * minute);
    add(id, 2);
    await runRounds(1, subject);
    expect(await awaited.findWaiting([id])).toEqual(new Set());
    isBroken = false;
    await runRounds(1, subject);
    expect(await typesOf(id, 2)).toEqual([accepted, accepted]);
  });

  test('of a deleted environment are not waited for, and leave nothing', async () => {
    const id = newId();
    const clock = { ...systemClock, now: () => now };
    const deaf = new EventConsumer({
      endpoints: new EndpointStore({
        aggregates: new AggregateCollection(
          mongo.db,
          webhookEndpoints(new DataKeys(testDataKeys)),
          {
            clock,
          },
        ),
        slots: new SlotStore(mongo.db),
        policyOf: () => ({ allowLoopback: true }),
        clock,
      }),
      ...{ messages, clock, onDeliveries: () => undefined },
      deliveries: new DeliveryStore(mongo.db),
      isDeleted: (deleted) => deleted === environmentId,
    });
    const late = new OrderedEventConsumer({ owners: [owner], messages, consumer: deaf, logger });
    const missing: unknown[] = [];
    const key = { environmentId, subscriptionId: id, subjectType: 'subscription', sequence: 3 };
    await late.acceptUpTo(key, async (event) => {
      missing.push(event);
    });
    await late.accept(readEvent(add(id, 3).envelope)!);
    expect(missing).toEqual([]);
    expect(await typesOf(id, 3)).toEqual([undefined, undefined, undefined]);
  });
});
