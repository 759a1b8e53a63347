import type { Collection } from 'mongodb';
import type { Transition } from '@billing/kernel/transition';
import type { AggregateDefinition, AggregateDocument } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import type { Tenant } from '../grpc/call-context';
import { systemClock } from '../clock';
import { type EventLog, openEventLog } from './event-log';
import { newId } from '../ids';
import { connectStream, type EventStream } from '../stream/jet-stream';
import { createLogger, type Logger } from '../telemetry/logging';
import { connectMongo, duplicateKeyIndex } from '../mongo/mongo';
import { Relay } from './relay';
import { eventually } from '../testing/testing';
import { SimulatedCrash } from '../testing/crash';

interface Order {
  readonly id: string;
  readonly shipped: number;
}

const definition: AggregateDefinition<Order> = {
  collection: 'orders',
  aggregate: 'order',
  resource: 'Order',
  toDocument: ({ shipped }) => ({ shipped }),
  fromDocument: ({ _id, shipped }) => ({ id: _id, shipped: Number(shipped) }),
  encodeEvent: (event) => event.data,
};

const tenant: Tenant = {
  organizationId: newId(),
  environmentId: newId(),
  live: false,
  manualClock: false,
};
const eventsEach = 3;
const commandsEach = 3;
const logger = createLogger({ service: 'test', level: 'silent' });

const placed = (id: string): Transition<Order> => ({
  state: { id, shipped: 0 },
  events: Array.from({ length: eventsEach }, (_, index) => ({
    type: 'order.placed',
    data: { number: index + 1 },
  })),
  commands: Array.from({ length: commandsEach }, (_, index) => ({
    type: 'ship',
    payload: { parcel: index + 1 },
  })),
});

interface Parcel {
  readonly _id: string;
  readonly shippedAt: number;
}

describe('the relay', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;
  let stream: EventStream;
  let eventLog: EventLog;
  let parcels: Collection<Parcel>;
  let shippedCount = 0;
  const published: string[] = [];

  beforeAll(async () => {
    const suffix = newId().replaceAll('-', '').slice(-12);
    mongo = await connectMongo({
      uri: process.env.MONGODB_URI ?? '',
      database: `t_${suffix}_relay`,
      service: 'test',
    });
    stream = await connectStream({
      url: process.env.NATS_URL ?? '',
      streamName: `T_${suffix.toUpperCase()}`,
      service: 'test',
      logger,
    });
    eventLog = openEventLog(mongo.db);
    parcels = mongo.db.collection<Parcel>('parcels');
  });

  afterAll(async () => {
    await stream.close();
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  /** `isNoted`: each command ends with a write to its order. */
  function openOrders(
    collection = definition.collection,
    { isNoted = false } = {},
  ): AggregateCollection<Order> {
    const orders = new AggregateCollection(
      mongo.db,
      { ...definition, collection },
      { clock: systemClock },
    );
    // The peer's effect happens once for each natural key, as with every peer.
    orders.handle({
      commands: {
        ship: async (
          { parcel }: { parcel: number },
          { aggregateId, context, completion: completes },
        ) => {
          shippedCount += 1;
          const _id = `${aggregateId}/${String(parcel)}`;
          try {
            await parcels.insertOne({ _id, shippedAt: shippedCount });
          } catch (error) {
            if (duplicateKeyIndex(error) === undefined) throw error;
          }
          if (!isNoted) return;
          const note = (order: Order) => ({
            state: { ...order, shipped: parcel },
            events: [],
            commands: [],
          });
          await orders.within(context).mutate(aggregateId, note, { completes });
        },
      },
    });
    return orders;
  }

  function relayOf(
    orders: AggregateCollection<Order>,
    parts: { log?: EventLog; stream?: EventStream; logger?: Logger } = {},
  ): Relay {
    return new Relay([orders as unknown as AggregateCollection<never>], {
      service: 'test',
      clock: systemClock,
      logger: parts.logger ?? logger,
      graceMs: 1_000,
      eventLog: parts.log ?? eventLog,
      stream: parts.stream ?? recording(stream),
    });
  }

  /** The real stream, with the ids that it acknowledged. */
  function recording(real: EventStream): EventStream {
    return Object.assign(Object.create(real) as EventStream, {
      publish: async (message: Parameters<EventStream['publish']>[0]) => {
        await real.publish(message);
        published.push(message.id);
      },
    });
  }

  async function settled(
    orders: AggregateCollection<Order>,
    id: string,
  ): Promise<AggregateDocument> {
    return eventually(async () => {
      const document = await orders.documents.findOne({ _id: id });
      if (document?.outbox.length === 0 && document.pendingSince === null) return document;
      throw new Error(`The outbox of ${id} was not emptied`);
    });
  }

  async function expectOnce(id: string): Promise<void> {
    const logged = await eventLog
      .find({ _id: { $regex: `^${id}:` } })
      .sort({ position: 1 })
      .toArray();
    expect(logged.map(({ _id }) => _id)).toEqual(
      [1, 2, 3].map((sequence) => `${id}:${String(sequence)}`),
    );
    expect([...new Set(published.filter((one) => one.startsWith(id)))]).toEqual(
      logged.map(({ _id }) => _id),
    );
    const shipped = await parcels
      .find({ _id: { $regex: `^${id}/` } })
      .sort({ shippedAt: 1 })
      .toArray();
    expect(shipped.map(({ _id }) => _id)).toEqual(
      [1, 2, 3].map((parcel) => `${id}/${String(parcel)}`),
    );
  }

  test('logs and publishes events in order, runs commands in order, and empties the outbox', async () => {
    const orders = openOrders();
    const relay = relayOf(orders);
    relay.start();
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert(placed(id));
    const document = await settled(orders, id);
    expect(document.version).toBe(1);
    await expectOnce(id);
    await relay.stop();
  });

  // A step hangs forever, before or after it was executed: the state that a killed process leaves.
  // The next relay must find the rest. Several documents share their database commands; a single
  // one has its own.
  test.each([
    { documents: 1, isNoted: false, leastReached: 20 },
    { documents: 5, isNoted: false, leastReached: 20 },
    { documents: 1, isNoted: true, leastReached: 20 },
    { documents: 5, isNoted: true, leastReached: 20 },
  ])(
    'killed before or after each step for $documents documents (a command writes to its order: $isNoted) neither loses nor duplicates an entry',
    async ({ documents, isNoted, leastReached }) => {
      const stepsMax = 24;
      const kills = Array.from({ length: stepsMax }, (_, step) =>
        (['before', 'after'] as const).map((side) => ({ step, side })),
      ).flat();
      let reached = 0;
      await Promise.all(
        kills.map(async ({ step, side }) => {
          const collection = `orders_${String(documents)}_${String(isNoted)}_${side}_${String(step)}`;
          const orders = openOrders(collection, { isNoted });
          const killer = new SimulatedCrash(step, side);
          const doomed = relayOf(killer.wrapCollection(orders), {
            log: killer.wrap(eventLog, ['insertOne', 'insertMany']),
            stream: killer.wrap(recording(stream), ['publish']),
          });
          doomed.start();
          const ids = Array.from({ length: documents }, () => newId());
          const store = orders.within({ tenant, now: systemClock.now() });
          await Promise.all(ids.map((id) => store.insert(placed(id))));
          for (const id of ids) orders.onPending(id);
          const allSettled = Promise.all(ids.map((id) => settled(orders, id)));
          allSettled.catch(() => undefined);
          await Promise.race([killer.killed, allSettled]);
          if (killer.isDead) reached += 1;
          // Hanging steps never end, but the stopped relay's sweeps must not compete with the
          // survivor's.
          void doomed.stop();
          const survivor = openOrders(collection, { isNoted });
          const relay = relayOf(survivor);
          relay.start();
          for (const id of ids) {
            await settled(survivor, id);
            await expectOnce(id);
          }
          await relay.stop();
        }),
      );
      expect(reached).toBeGreaterThanOrEqual(leastReached);
    },
  );

  test('logs every event in order while the stream is unavailable, and publishes them when it is back', async () => {
    const orders = openOrders('orders_stream_away');
    let isAway = true;
    const away = Object.assign(Object.create(stream) as EventStream, {
      publish: (message: Parameters<EventStream['publish']>[0]) =>
        isAway ? Promise.reject(new Error('Away')) : recording(stream).publish(message),
    });
    const relay = relayOf(orders, { stream: away });
    relay.start();
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert(placed(id));
    await eventually(async () => {
      expect(await eventLog.countDocuments({ _id: { $regex: `^${id}:` } })).toBe(eventsEach);
    });
    expect(published.filter((one) => one.startsWith(id))).toEqual([]);
    isAway = false;
    await settled(orders, id);
    await expectOnce(id);
    await relay.stop();
  });

  test('does not delay events for a stream that is known to be unavailable: they are in the log', async () => {
    const orders = openOrders('orders_stream_disconnected');
    const disconnected = Object.assign(Object.create(recording(stream)) as EventStream, {
      isConnected: () => false,
    });
    const relay = relayOf(orders, { stream: disconnected });
    relay.start();
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert(placed(id));
    await settled(orders, id);
    expect(await eventLog.countDocuments({ _id: { $regex: `^${id}:` } })).toBe(eventsEach);
    expect(published.filter((one) => one.startsWith(id))).toEqual([]);
    await relay.stop();
  });

  test('reports an event that is too large for the stream with an alarm of its own', async () => {
    const orders = openOrders('largeOrders');
    await orders.ensureIndexes();
    const id = newId();
    const large = { type: 'order.placed', data: { text: 'x'.repeat(2 ** 20) } };
    const transition = { state: { id, shipped: 0 }, events: [large], commands: [] };
    const alarming = createLogger({ service: 'test', level: 'silent' });
    const alarm = jest.spyOn(alarming, 'error');
    const relay = relayOf(orders, { logger: alarming });
    relay.start();
    await orders.within({ tenant, now: systemClock.now() }).insert(transition);
    await eventually(() => {
      expect(alarm).toHaveBeenCalledWith(
        expect.objectContaining({ event: `${id}:1`, subject: 'test.order.placed' }),
        expect.stringContaining('exceeds the message size limit of the stream'),
      );
    });
    await relay.stop();
  });

  test('holds up commands, but not events, while a peer is unavailable', async () => {
    const orders = openOrders('orders_peer_down');
    let isUp = false;
    const shipped: number[] = [];
    orders.handle({
      commands: {
        ship: ({ parcel }: { parcel: number }) => {
          if (!isUp) return Promise.reject(new Error('The peer is down'));
          shipped.push(parcel);
          return Promise.resolve();
        },
      },
    });
    const relay = relayOf(orders);
    relay.start();
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert(placed(id));
    await eventually(async () => {
      const held = await orders.documents.findOne({ _id: id });
      expect(held?.outbox.map(({ kind }) => kind)).toEqual(Array(commandsEach).fill('command'));
    });
    expect(published.filter((one) => one.startsWith(id))).toHaveLength(eventsEach);
    expect(shipped).toEqual([]);
    isUp = true;
    await settled(orders, id);
    expect(shipped).toEqual([1, 2, 3]);
    await relay.stop();
  });
});
