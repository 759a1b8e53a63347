import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { newId } from '@billing/chassis/ids';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { MongoNetworkError } from 'mongodb';
import { type EventCollection, EventStore, openEvents, toEventDocument } from './event-store';

const configuration = testServiceConfiguration('metering');
const { tenant } = testContext();
const at = new Date('2026-03-10T08:00:00Z');
let mongo: MongoConnection;
let events: EventCollection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'metering' });
  events = openEvents(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function document(eventId: string, arrival: number) {
  return toEventDocument(tenant, {
    eventId,
    customerId: newId(),
    meterId: newId(),
    quantity: '1',
    timestamp: at,
    properties: {},
    receivedAt: at,
    arrival,
  });
}

/** Stores all documents and drops the first reply. */
function losingFirstReply(): EventCollection {
  let answers = 0;
  const insertMany: EventCollection['insertMany'] = async (documents, options) => {
    const insert = events.insertMany(documents, options);
    answers += 1;
    if (answers > 1) return insert;
    await insert.catch(() => undefined);
    throw new MongoNetworkError('connection closed');
  };
  return new Proxy(events, {
    get: (target, name) =>
      name === 'insertMany' ? insertMany : (Reflect.get(target, name) as unknown),
  });
}

test('an insert whose reply was lost does not report its own events as duplicates', async () => {
  const others = [document('event-1', 1), document('event-2', 2)];
  await new EventStore(events).insert(others);
  const repeated = [document('event-2', 12), document('event-3', 13), document('event-4', 14)];
  const { duplicates } = await new EventStore(losingFirstReply()).insert(repeated);
  expect(duplicates).toEqual(new Set([repeated[0]]));
});

test('the second of two inserts of an event is reported as a duplicate', async () => {
  const store = new EventStore(events);
  const [first, second] = [document('event-5', 5), document('event-5', 5)];
  expect(await store.insert([first])).toEqual({ duplicates: new Set(), failed: new Map() });
  expect(await store.insert([second])).toEqual({
    duplicates: new Set([second]),
    failed: new Map(),
  });
});
