import {
  type AggregateDefinition,
  type AggregateDocument,
  newEnvelope,
} from '../aggregates/aggregate';
import { AggregateCollection, type CommandHandler } from '../aggregates/aggregate-collection';
import { sleep, systemClock } from '../clock';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { sliceOf } from '../replicas/slices';
import type { EventStream } from '../stream/jet-stream';
import { createLogger } from '../telemetry/logging';
import {
  dropTestDatabase,
  eventually,
  testServiceConfiguration,
  testTenant,
} from '../testing/testing';
import { openEventLog } from './event-log';
import { Relay, type RelayDependencies } from './relay';

const definition: AggregateDefinition<{ readonly id: string }> = {
  collection: 'orders',
  aggregate: 'order',
  resource: 'Order',
  toDocument: () => ({}),
  fromDocument: ({ _id: id }) => ({ id }),
  encodeEvent: (event) => event.data,
};

const configuration = testServiceConfiguration('sweep');
const tenant = testTenant();
const logger = createLogger({ service: 'test', level: 'silent' });
const secondsAgo = (seconds: number) => new Date(systemClock.now().getTime() - seconds * 1_000);

describe('a sweep of outboxes', () => {
  let mongo: MongoConnection;
  let orders: AggregateCollection<{ readonly id: string }>;
  let published: string[];

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    orders = new AggregateCollection(mongo.db, definition, { clock: systemClock });
    await orders.ensureIndexes();
  });

  beforeEach(async () => {
    published = [];
    await orders.documents.deleteMany({});
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  /** A document as a process that was killed left it. */
  function waiting(
    kind: 'event' | 'command',
    since: Date,
    { live }: { live: boolean } = tenant,
  ): AggregateDocument {
    const id = newId();
    const entry = { kind, sequence: 1, type: kind, at: since, payload: '{}', traceparent: null };
    const sequences = kind === 'event' ? { eventSequence: 1 } : { commandSequence: 1 };
    const envelope = newEnvelope(id, { ...tenant, live }, since);
    return { ...envelope, ...sequences, outbox: [entry], pendingSince: since };
  }

  async function withRelay(
    dependencies: Partial<RelayDependencies>,
    act: () => Promise<void>,
    command: CommandHandler = async () => undefined,
  ): Promise<void> {
    orders.handle({ commands: { command } });
    const stream = {
      isConnected: () => true,
      publish: async ({ id }: { id: string }) => {
        published.push(id);
      },
    } as unknown as EventStream;
    const relay = new Relay([orders as unknown as AggregateCollection<never>], {
      service: 'test',
      clock: systemClock,
      logger,
      graceMs: 1_000,
      eventLog: openEventLog(mongo.db),
      stream,
      ...dependencies,
    });
    relay.start();
    try {
      await act();
    } finally {
      await relay.stop();
    }
  }

  test('publishes events behind more documents with hanging commands than the relay holds', async () => {
    const hanging = Array.from({ length: 5_400 }, () => waiting('command', secondsAgo(60)));
    const event = waiting('event', secondsAgo(20));
    await orders.documents.insertMany(
      hanging.map((one, index) => ({
        ...one,
        pendingSince: new Date(secondsAgo(60).getTime() + index),
      })),
    );
    await orders.documents.insertOne(event);
    await withRelay(
      {},
      () =>
        eventually(() => {
          expect(published).toEqual([`${event._id}:1`]);
        }),
      (_payload: never, { context }) => sleep(120_000, context.signal),
    );
  });

  test.each([50, 450])(
    'runs live commands before those of %i sandbox documents that wait longer',
    async (count) => {
      const sandboxes = Array.from({ length: count }, () =>
        waiting('command', secondsAgo(60), { live: false }),
      );
      const live = waiting('command', secondsAgo(20), { live: true });
      await orders.documents.insertMany([...sandboxes, live]);
      const begun: string[] = [];
      await withRelay(
        {},
        () =>
          eventually(() => {
            expect(begun.length).toBeGreaterThan(40);
          }),
        async (_payload: never, { aggregateId }) => {
          begun.push(aggregateId);
        },
      );
      expect(begun[0]).toBe(live._id);
    },
  );

  test('takes documents of its own slices, and with slice 0 those without one', async () => {
    const documents = Array.from({ length: 40 }, () => waiting('event', secondsAgo(20)));
    const own = documents.slice(0, 30).map(({ _id }) => sliceOf(_id));
    const [oldest, ...others] = documents;
    if (oldest === undefined) throw new Error('No document');
    const { slice: _slice, ...withoutSlice } = oldest;
    await orders.documents.insertMany([withoutSlice, ...others]);
    const $in = [...own.slice(1), null];
    const filter = { slice: { $in } };
    const isTaken = ({ _id }: AggregateDocument) =>
      _id === oldest._id || $in.includes(sliceOf(_id));
    const expected = documents.filter(isTaken).map(({ _id }) => `${_id}:1`);
    await withRelay({ slices: { owns: () => true, filter: () => filter, isAlone: false } }, () =>
      eventually(async () => {
        expect(published.toSorted()).toEqual(expected.toSorted());
        const left = await orders.documents.countDocuments({ pendingSince: { $ne: null } });
        expect(left).toBe(documents.length - expected.length);
      }),
    );
  });

  test('takes nothing while the replica must not take new work', async () => {
    await orders.documents.insertOne(waiting('event', secondsAgo(20)));
    await withRelay(
      { slices: { owns: () => false, filter: () => undefined, isAlone: false } },
      () => sleep(2_000),
    );
    expect(published).toEqual([]);
  });

  test('marks a document as emptied whose entries were removed before a crash', async () => {
    const document = { ...waiting('event', secondsAgo(20)), outbox: [] };
    await orders.documents.insertOne(document);
    await withRelay({}, () =>
      eventually(async () => {
        const stored = await orders.documents.findOne({ _id: document._id });
        expect(stored?.pendingSince).toBeNull();
      }),
    );
  });
});
