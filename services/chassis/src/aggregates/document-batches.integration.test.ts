import { type Collection, MongoNetworkError } from 'mongodb';
import { type AggregateDocument, newEnvelope } from './aggregate';
import { DocumentBatches, type VersionedWrite } from './document-batches';
import { duplicateKeyIndex, connectMongo, type MongoConnection } from '../mongo/mongo';
import { dropTestDatabase, testServiceConfiguration, testTenant } from '../testing/testing';

const configuration = testServiceConfiguration('batches');
const tenant = testTenant();
const { environmentId } = tenant;

let mongo: MongoConnection;
let documents: Collection<AggregateDocument>;
let batches: DocumentBatches;
let commands: string[];

beforeAll(async () => {
  mongo = await connectMongo({
    uri: configuration.MONGODB_URI,
    database: configuration.MONGODB_DATABASE,
    service: 'batches',
  });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

beforeEach(async () => {
  documents = mongo.db.collection<AggregateDocument>('things');
  await documents.deleteMany({});
  commands = [];
  batches = new DocumentBatches(counted(documents, commands));
});

const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${String(index)}`);
const document = (id: string): AggregateDocument => ({ ...newEnvelope(id, tenant, new Date(0)) });

function write(id: string, version = 1, writeId = `write of ${id}`): VersionedWrite {
  const update = { $set: { version: version + 1, lastWrite: writeId } };
  return { id, environmentId, version, writeId, update };
}

describe('documents in batches', () => {
  test('share one command when requested concurrently, and are equal to documents read one by one', async () => {
    const all = ids(50);
    await Promise.all(all.map((id) => batches.insert(document(id))));
    expect(commands).toEqual(['insertMany']);
    const found = await Promise.all(all.map((id) => batches.find(id, environmentId)));
    expect(found.map((one) => one?._id)).toEqual(all);
    expect(commands).toEqual(['insertMany', 'find']);
    const won = await Promise.all(all.map((id) => batches.compareAndSet(write(id))));
    expect(won).toEqual(all.map(() => true));
    expect(commands).toEqual(['insertMany', 'find', 'bulkWrite']);
    expect(await documents.countDocuments({ version: 2 })).toBe(50);
  });

  test('use the plain command for a single document', async () => {
    await batches.insert(document('a'));
    await batches.find('a', environmentId);
    await batches.compareAndSet(write('a'));
    await batches.removeDone({ id: 'a', done: [{ kind: 'event', sequence: 1 }] });
    expect(commands).toEqual(['insertOne', 'findOne', 'updateOne', 'updateOne']);
  });

  test('of another environment are not found, even if both are requested together', async () => {
    await batches.insert(document('a'));
    const [ours, theirs, anybodys, nobodys] = await Promise.all([
      batches.find('a', environmentId),
      batches.find('a', 'another'),
      batches.find('a'),
      batches.find('b', environmentId),
    ]);
    expect([ours?._id, theirs?._id, anybodys?._id, nobodys?._id]).toEqual([
      'a',
      undefined,
      'a',
      undefined,
    ]);
    const foreign = { ...write('a'), environmentId: 'another' };
    const won = await Promise.all([
      batches.compareAndSet(foreign),
      batches.compareAndSet(write('b')),
    ]);
    expect(won).toEqual([false, false]);
  });

  test('report for each insert if it was the first, independently of the others in the batch', async () => {
    await documents.insertMany([document('id-1'), document('id-3')]);
    const outcomes = await Promise.allSettled(ids(5).map((id) => batches.insert(document(id))));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const [, second] = outcomes;
    expect(duplicateKeyIndex((second as PromiseRejectedResult).reason)).toBe('_id_');
    expect(await documents.countDocuments()).toBe(5);
  });

  test('report for each compare-and-set if it won, according to the stored document', async () => {
    await documents.insertMany(ids(6).map(document));
    // Another replica was faster with two of them.
    await documents.updateMany(
      { _id: { $in: ['id-1', 'id-4'] } },
      { $set: { version: 2, lastWrite: 'another' } },
    );
    const won = await Promise.all(ids(6).map((id) => batches.compareAndSet(write(id))));
    expect(won).toEqual([true, false, true, true, false, true]);
    const stored = await documents.find().sort({ _id: 1 }).toArray();
    expect(stored.map(({ lastWrite }) => lastWrite)).toEqual(
      ids(6).map((id) => (['id-1', 'id-4'].includes(id) ? 'another' : `write of ${id}`)),
    );
  });

  test('refuse a compare-and-set as unavailable if later writes hide its outcome', async () => {
    await documents.insertMany(ids(2).map(document));
    await documents.updateOne({ _id: 'id-0' }, { $set: { version: 3, lastWrite: 'another' } });
    const outcomes = await Promise.allSettled(ids(2).map((id) => batches.compareAndSet(write(id))));
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { kind: 'unavailable' } },
      { status: 'fulfilled', value: true },
    ]);
  });

  test('let exactly one of 20 writers of one document and version win', async () => {
    await documents.insertMany(ids(20).map(document));
    const writers = ids(20).map((writer) => batches.compareAndSet(write('id-0', 1, writer)));
    const others = ids(20)
      .slice(1)
      .map((id) => batches.compareAndSet(write(id)));
    const won = await Promise.all(writers);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await Promise.all(others)).every(Boolean)).toBe(true);
    const { lastWrite } = (await documents.findOne({ _id: 'id-0' }))!;
    expect(lastWrite).toBe(`id-${String(won.indexOf(true))}`);
  });

  test('empty each outbox to which nothing was added, and keep entries that were added', async () => {
    const entry = (kind: 'event' | 'command', sequence: number) => ({ kind, sequence });
    const pending = { pendingSince: new Date(1), eventSequence: 1, commandSequence: 1 };
    const done = [entry('event', 1), entry('command', 1)];
    const stored = ids(3).map((id) => ({ ...document(id), ...pending, outbox: done }));
    await documents.insertMany(stored as unknown as AggregateDocument[]);
    await documents.updateOne(
      { _id: 'id-1' },
      { $set: { eventSequence: 2 }, $push: { outbox: entry('event', 2) as never } },
    );
    const all = { eventSequence: 1, commandSequence: 1 };
    await Promise.all([
      batches.removeDone({ id: 'id-0', done, all }),
      batches.removeDone({ id: 'id-1', done, all }),
      batches.removeDone({ id: 'id-2', done: [entry('event', 1)] }),
    ]);
    const left = await documents.find().sort({ _id: 1 }).toArray();
    expect(left.map(({ outbox, pendingSince }) => [outbox, pendingSince === null])).toEqual([
      [[], true],
      [[entry('event', 2)], false],
      [[entry('command', 1)], false],
    ]);
  });

  test('are written once each if the answer of a batch was lost and it is retried', async () => {
    await documents.insertMany(ids(5).map(document));
    const lossy = new DocumentBatches(losingFirstAnswer(documents));
    const won = await Promise.all(ids(5).map((id) => lossy.compareAndSet(write(id))));
    expect(won).toEqual([true, true, true, true, true]);
    expect(await documents.countDocuments({ version: 2 })).toBe(5);
  });

  test('are each written or not if a batch was cut short, and the retry completes it', async () => {
    await documents.insertMany(ids(4).map(document));
    // The state after a crash between two writes of a batch.
    await documents.updateOne({ _id: 'id-2' }, write('id-2').update);
    const won = await Promise.all(ids(4).map((id) => batches.compareAndSet(write(id))));
    expect(won).toEqual([true, true, true, true]);
    expect(await documents.countDocuments({ version: 2 })).toBe(4);
  });
});

/** Records the methods that send a command. */
function counted(
  target: Collection<AggregateDocument>,
  names: string[],
): Collection<AggregateDocument> {
  return new Proxy(target, {
    get: (collection, key) => {
      const value = Reflect.get(collection, key, collection) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        names.push(String(key));
        return (value as (...all: unknown[]) => unknown).apply(collection, args);
      };
    },
  });
}

/** Runs the first bulk write and then reports that the connection was lost. */
function losingFirstAnswer(target: Collection<AggregateDocument>): Collection<AggregateDocument> {
  let isLost = false;
  return new Proxy(target, {
    get: (collection, key) => {
      const value = Reflect.get(collection, key, collection) as unknown;
      if (typeof value !== 'function') return value;
      const call = value as (...all: unknown[]) => unknown;
      if (key !== 'bulkWrite') return call.bind(collection);
      return async (...args: unknown[]) => {
        const answer = await call.apply(collection, args);
        if (isLost) return answer;
        isLost = true;
        throw new MongoNetworkError('connection closed');
      };
    },
  });
}
