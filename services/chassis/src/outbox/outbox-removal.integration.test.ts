import type { Collection, Document } from 'mongodb';
import type { AggregateDefinition, AggregateDocument } from '../aggregates/aggregate';
import { AggregateCollection, type CommandHandler } from '../aggregates/aggregate-collection';
import { systemClock } from '../clock';
import { DocumentBatches } from '../aggregates/document-batches';
import { openEventLog } from './event-log';
import { newId } from '../ids';
import type { EventStream } from '../stream/jet-stream';
import { createLogger } from '../telemetry/logging';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { documentsInFlightMax, Relay } from './relay';
import {
  dropTestDatabase,
  eventually,
  testServiceConfiguration,
  testTenant,
} from '../testing/testing';

interface Parcel {
  readonly id: string;
  readonly weight: number;
}

const definition: AggregateDefinition<Parcel> = {
  collection: 'parcels',
  aggregate: 'parcel',
  resource: 'Parcel',
  toDocument: ({ weight }) => ({ weight, address: { city: 'Rome' } }),
  fromDocument: ({ _id, weight }) => ({ id: _id, weight: Number(weight) }),
  encodeEvent: (event) => event.data,
};
const configuration = testServiceConfiguration('removal');
const tenant = testTenant();
// The clock stands still until a test advances it, so that no sweep runs in between on a slow
// machine.
const now = systemClock.now();
const event = { type: 'parcel.sent', data: {} };
const command = { type: 'weigh', payload: { weight: 7 } };

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await connectMongo({
    uri: configuration.MONGODB_URI,
    database: configuration.MONGODB_DATABASE,
    service: 'removal',
  });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** A running relay, with the updates that it and the store have written to the parcels. */
function scene(collection: string, { weigh, publish }: { weigh: Weigh; publish?: Publish }) {
  const time = { now };
  const clock = { now: () => time.now };
  const parcels = new AggregateCollection(mongo.db, { ...definition, collection }, { clock });
  const updates: Document[] = [];
  let sweeps = 0;
  const written = recordingCalls(parcels.documents, (method, args) => {
    if (method === 'updateOne') updates.push(args[1] as Document);
  });
  const swept = recordingCalls(parcels.documents, (method) => {
    if (method === 'find') sweeps += 1;
  });
  Object.assign(parcels, { batches: new DocumentBatches(written), documents: swept });
  const within = () => parcels.within({ tenant, now });
  const note: Note = (id, weight, { completes, events = [] }) =>
    within().mutate(id, (parcel) => ({ state: { ...parcel, weight }, events, commands: [] }), {
      completes,
    });
  parcels.handle({
    commands: { weigh: ((_payload, delivery) => weigh(delivery, note)) satisfies CommandHandler },
  });
  const relay = new Relay([parcels as unknown as AggregateCollection<never>], {
    service: 'test',
    clock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    graceMs: 1_000,
    eventLog: openEventLog(mongo.db),
    stream: {
      isConnected: () => true,
      publish: publish ?? (() => Promise.resolve()),
    } as unknown as EventStream,
  });
  relay.start();
  const id = newId();
  const stored = () => parcels.documents.findOne({ _id: id });
  const settled = () =>
    eventually(async () => {
      expect(await stored()).toMatchObject({ outbox: [], pendingSince: null });
    });
  const insert = (parts: Partial<Pick<Transitioned, 'events' | 'commands'>>) =>
    within().insert({ state: { id, weight: 0 }, events: [], commands: [], ...parts });
  /** Advances the clock and runs sweeps. */
  const afterSweeps = async (ms: number) => {
    time.now = new Date(time.now.getTime() + ms);
    const before = sweeps;
    // Once the third has started, the second has read the current state.
    await eventually(() => {
      expect(sweeps).toBeGreaterThan(before + 2);
    });
  };
  return { id, parcels, relay, updates, note, stored, settled, insert, afterSweeps };
}

type Delivery = Parameters<CommandHandler>[1];
type Transitioned = { events: readonly (typeof event)[]; commands: readonly (typeof command)[] };
type Note = (
  id: string,
  weight: number,
  options: { completes?: Delivery['completion']; events?: readonly (typeof event)[] },
) => Promise<unknown>;
type Weigh = (delivery: Delivery, note: Note) => Promise<unknown> & Promise<void>;
type Publish = EventStream['publish'];

/** Calls `note` for each call of a method. */
function recordingCalls(
  documents: Collection<AggregateDocument>,
  note: (method: string | symbol, args: readonly unknown[]) => void,
): Collection<AggregateDocument> {
  return new Proxy(documents, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const method = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        note(name, args);
        return method.apply(target, args);
      };
    },
  });
}

/** A promise that is resolved when the test says so. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('an outbox', () => {
  test('is emptied by the last write of its command if its events are published', async () => {
    const published = gate();
    let publications = 0;
    const { id, relay, updates, settled, stored, insert } = scene('last', {
      weigh: async ({ aggregateId, completion }, note) => {
        await published.passed;
        await note(aggregateId, 7, { completes: completion });
      },
      publish: () => {
        publications += 1;
        // The relay records the last publication before a timer ends.
        if (publications === 2) setTimeout(published.open, 50);
        return Promise.resolve();
      },
    });
    await insert({ events: [event, event], commands: [command] });
    await settled();
    expect(updates).toHaveLength(1);
    expect(await stored()).toMatchObject({ _id: id, version: 2, weight: 7 });
    await relay.stop();
    expect(updates).toHaveLength(1);
  });

  test('is emptied by one write if the command wrote before its events were published', async () => {
    const weighed = gate();
    const { relay, updates, settled, insert } = scene('before', {
      weigh: async ({ aggregateId, completion }, note) => {
        await note(aggregateId, 7, { completes: completion });
        weighed.open();
      },
      publish: () => weighed.passed,
    });
    await insert({ events: [event, event], commands: [command] });
    await settled();
    expect(updates).toEqual([
      { $set: expect.not.objectContaining({ outbox: expect.anything() }) as Document },
      { $set: { outbox: [], pendingSince: null } },
    ]);
    await relay.stop();
  });

  test('keeps entries added by the last write of its command', async () => {
    const published: string[] = [];
    const { id, relay, settled, insert } = scene('adds', {
      weigh: ({ aggregateId, completion }, note) =>
        note(aggregateId, 7, { completes: completion, events: [event] }) as Promise<void>,
      publish: ({ id: eventId }) => {
        published.push(eventId);
        return Promise.resolve();
      },
    });
    await insert({ commands: [command] });
    await settled();
    expect(published).toEqual([`${id}:1`]);
    await relay.stop();
  });

  test('is emptied by the last write of a command that announced events before', async () => {
    const published: string[] = [];
    const first = gate();
    const { id, relay, updates, settled, insert } = scene('twice', {
      weigh: async ({ aggregateId, completion }, note) => {
        await note(aggregateId, 5, { events: [event] });
        await first.passed;
        await note(aggregateId, 7, { completes: completion, events: [event] });
      },
      publish: ({ id: eventId }) => {
        published.push(eventId);
        // The relay records the publication before a timer ends.
        setTimeout(first.open, 50);
        return Promise.resolve();
      },
    });
    await insert({ commands: [command] });
    await settled();
    expect(published).toEqual([`${id}:1`, `${id}:2`]);
    // The two writes of the command, and the removal of the last event.
    expect(updates).toHaveLength(3);
    await relay.stop();
  });

  test('keeps entries added while the command runs', async () => {
    const begun = gate();
    const added = gate();
    let count = 0;
    const { id, relay, note, settled, stored, insert } = scene('added', {
      weigh: async ({ aggregateId, completion }, record) => {
        count += 1;
        begun.open();
        await added.passed;
        await record(aggregateId, 7, { completes: completion });
      },
    });
    await insert({ commands: [command] });
    await begun.passed;
    await note(id, 5, { events: [event, event] });
    added.open();
    await settled();
    expect(await stored()).toMatchObject({ eventSequence: 2, weight: 7 });
    expect(await openEventLog(mongo.db).countDocuments({ _id: { $regex: `^${id}` } })).toBe(2);
    expect(count).toBe(1);
    await relay.stop();
  });

  test('never reruns a command because of a write that read the document before the command was done', async () => {
    let count = 0;
    const weighed = gate();
    const { id, parcels, relay, note, stored, settled, insert } = scene('readBefore', {
      weigh: async () => {
        count += 1;
        await weighed.passed;
      },
    });
    await insert({ commands: [command] });
    const { batches } = parcels;
    const compareAndSet = batches.compareAndSet.bind(batches);
    jest.spyOn(batches, 'compareAndSet').mockImplementation(async (write) => {
      weighed.open();
      await eventually(async () => {
        expect((await stored())?.outbox).toEqual([]);
      });
      return compareAndSet(write);
    });
    await note(id, 5, { events: [event] });
    await settled();
    expect(count).toBe(1);
    await relay.stop();
  });

  test('keeps entries that other writers add while it is emptied', async () => {
    const published: string[] = [];
    const { id, parcels, relay, note, settled, insert } = scene('race', {
      weigh: () => Promise.resolve(),
      publish: ({ id: eventId }) => {
        published.push(eventId);
        return Promise.resolve();
      },
    });
    const removed = jest.spyOn(parcels.batches, 'removeDone');
    await insert({ events: [event], commands: [command] });
    // As fast as possible, so that some entries are added between the relay's read and its removal.
    for (let weight = 1; weight <= 30; weight += 1) await note(id, weight, { events: [event] });
    await settled();
    expect([...new Set(published)]).toEqual(
      Array.from({ length: 31 }, (_, index) => `${id}:${String(index + 1)}`),
    );
    expect(removed).toHaveBeenCalled();
    await relay.stop();
  });

  test('is cleared of events even if the command behind them fails', async () => {
    let isUp = false;
    const { relay, settled, stored, insert } = scene('fails', {
      weigh: () => (isUp ? Promise.resolve() : Promise.reject(new Error('The peer is down'))),
    });
    await insert({ events: [event], commands: [command] });
    await eventually(async () => {
      expect((await stored())?.outbox.map(({ kind }) => kind)).toEqual(['command']);
    });
    isUp = true;
    await settled();
    await relay.stop();
  });

  test('is cleared of events at a stop even if their command never started', async () => {
    const { relay, stored, insert, parcels } = scene('stopped', {
      weigh: () => Promise.resolve(),
    });
    const crowd = gate();
    parcels.handle({ commands: { weigh: () => crowd.passed } });
    // As many as run concurrently.
    await Promise.all(
      Array.from({ length: documentsInFlightMax }, () =>
        parcels.within({ tenant, now }).insert({
          state: { id: newId(), weight: 0 },
          events: [],
          commands: [command],
        }),
      ),
    );
    await insert({ events: [event], commands: [command] });
    const { _id } = (await stored())!;
    await eventually(async () => {
      expect(await openEventLog(mongo.db).findOne({ _id: `${_id}:1` })).not.toBeNull();
    });
    const stopping = relay.stop();
    crowd.open();
    await stopping;
    expect((await stored())?.outbox.map(({ kind }) => kind)).toEqual(['command']);
  });

  test("is left to a long-running command, and emptied by the command's last write", async () => {
    const weighed = gate();
    const { id, relay, updates, settled, insert, afterSweeps } = scene('long', {
      weigh: async ({ aggregateId, completion }, note) => {
        await weighed.passed;
        await note(aggregateId, 7, { completes: completion });
      },
    });
    await insert({ events: [event], commands: [command] });
    await eventually(async () => {
      expect(await openEventLog(mongo.db).findOne({ _id: `${id}:1` })).not.toBeNull();
    });
    await afterSweeps(5_000);
    expect(updates).toEqual([]);
    weighed.open();
    await settled();
    expect(updates).toHaveLength(1);
    await relay.stop();
  });

  test.each([
    ['more are announced', 0, 1],
    ['it has had its time', 40_000, 0],
  ])('is cleared of events when a command hangs, once %s', async (_when, ms, more) => {
    const hanging = gate();
    const { id, relay, note, stored, insert, afterSweeps } = scene(`hangs${String(more)}`, {
      weigh: () => hanging.passed,
    });
    await insert({ events: [event], commands: [command] });
    await eventually(async () => {
      expect(await openEventLog(mongo.db).findOne({ _id: `${id}:1` })).not.toBeNull();
    });
    if (more > 0) await note(id, 5, { events: [event] });
    if (ms > 0) await afterSweeps(ms);
    await eventually(async () => {
      expect((await stored())?.outbox.map(({ kind }) => kind)).toEqual(['command']);
    });
    hanging.open();
    await relay.stop();
  });

  test('of a document with only events costs one write and no read', async () => {
    const { relay, parcels, updates, settled, insert } = scene('alone', {
      weigh: () => Promise.resolve(),
    });
    const read = jest.spyOn(parcels.batches, 'find');
    await insert({ events: [event, event] });
    await settled();
    expect(updates).toEqual([{ $set: { outbox: [], pendingSince: null } }]);
    expect(read).not.toHaveBeenCalled();
    await relay.stop();
  });
});

describe('a write', () => {
  test('contains only the fields that change', async () => {
    const { id, relay, note, updates, insert } = scene('fields', {
      weigh: () => Promise.resolve(),
    });
    await insert({});
    await note(id, 5, {});
    expect(Object.keys((updates[0]?.$set ?? {}) as object).sort()).toEqual([
      'lastWrite',
      'version',
      'weight',
    ]);
    await relay.stop();
  });
});
