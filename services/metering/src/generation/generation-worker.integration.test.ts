import type { Observation } from '@billing/chassis/metrics';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { EpochStore } from '../epoch/epoch-store';
import { EventCollections } from '../usage/event-store';
import { changeGeneration, dropGenerations, observeGenerations } from './generation-worker';

const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const firstDay = '2026-11-23T09:00:00Z';
let configuration: ReturnType<typeof testServiceConfiguration>;
let mongo: MongoConnection;
let tests = 0;

beforeEach(async () => {
  // A database that is made again at once may still be seen as before.
  tests += 1;
  configuration = testServiceConfiguration(`metering_${String(tests)}`);
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'metering' });
});

afterEach(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** A process whose clock a test sets. */
async function aProcess() {
  const storage = new EpochStore(mongo.db);
  const collections = new EventCollections(
    mongo.db,
    async () => (await storage.readEpoch()).generations,
  );
  let now = new Date(firstDay);
  const clock = { now: () => now };
  await storage.open(now);
  await collections.make('usageEvents');
  const options = { storage, collections, clock, logger };
  const list = async () => (await storage.readEpoch()).generations;
  return {
    storage,
    collections,
    list,
    names: async () => (await list()).map(({ name }) => name),
    change: async (at: string) => {
      now = new Date(at);
      await changeGeneration(options);
    },
    drop: async (at: string, months: number) => {
      now = new Date(at);
      await dropGenerations(months, options);
    },
    /** Days for which arriving events have a generation of their month. */
    daysAhead: async (at: string) => {
      now = new Date(at);
      let read: () => Promise<readonly Observation[]> = () => Promise.resolve([]);
      observeGenerations({ observe: (_instrument, observed) => (read = observed) }, options);
      const [observation] = await read();
      return (observation?.value ?? 0) / 86_400;
    },
  };
}

test('the generation of the next month is made a week ahead and begins with its month', async () => {
  const { change, collections, list, names, storage } = await aProcess();
  await change('2026-11-23T23:59:59Z');
  expect(await collections.made()).toEqual(['usageEvents']);
  await change('2026-11-24T00:00:00Z');
  expect((await collections.made()).toSorted()).toEqual(['usageEvents', 'usageEvents_202612']);
  const indexes = await collections.of({ name: 'usageEvents_202612' }).indexes();
  expect(indexes.map(({ name }) => name).toSorted()).toEqual(['_id_', 'list', 'usage']);
  await change('2026-11-30T23:59:59.999Z');
  expect(await names()).toEqual(['usageEvents']);
  const { current } = await storage.readEpoch();
  await change('2026-12-01T00:00:03Z');
  await change('2026-12-01T00:00:33Z');
  expect(await list()).toEqual([
    { name: 'usageEvents', from: 0, since: new Date(firstDay) },
    { name: 'usageEvents_202612', from: current + 1, since: new Date('2026-12-01T00:00:03Z') },
  ]);
  expect((await storage.readEpoch()).current).toBe(current + 1);
});

test('a generation that two processes begin, or that was not made, begins once', async () => {
  const [one, other] = [await aProcess(), await aProcess()];
  const at = '2027-01-15T12:00:00Z';
  await Promise.all([one.change(at), other.change(at)]);
  expect(await one.names()).toEqual(['usageEvents', 'usageEvents_202701']);
  expect((await one.storage.readEpoch()).current).toBe(2);
});

test('a database of an earlier version has its events in the first generation', async () => {
  const epochs = mongo.db.collection<{ _id: string }>('usageEpoch');
  await epochs.insertOne({ _id: 'epoch', current: 7, until: 5, writers: 3 } as never);
  const { storage } = await aProcess();
  expect(await storage.readEpoch()).toEqual({
    current: 7,
    until: 5,
    generations: [{ name: 'usageEvents', from: 0, since: new Date(firstDay) }],
  });
});

test('a generation is dropped when its events are past their retention', async () => {
  const { change, collections, drop, names } = await aProcess();
  for (const month of ['2026-12', '2027-01', '2027-02']) await change(`${month}-01T00:00:03Z`);
  await drop('2027-03-01T00:00:02Z', 3);
  expect(await names()).toHaveLength(4);
  await drop('2027-03-01T00:00:03Z', 3);
  const kept = ['usageEvents_202612', 'usageEvents_202701', 'usageEvents_202702'];
  expect(await names()).toEqual(kept);
  expect((await collections.made()).toSorted()).toEqual(kept);
});

test('a collection that a crash left after its generation was removed is dropped, one to come is not', async () => {
  const { change, collections, drop, names, storage } = await aProcess();
  await change('2026-12-01T00:00:03Z');
  await change('2026-12-30T00:00:00Z');
  await storage.removeGeneration('usageEvents');
  await drop('2026-12-30T00:00:00Z', 15);
  expect(await names()).toEqual(['usageEvents_202612']);
  expect((await collections.made()).toSorted()).toEqual([
    'usageEvents_202612',
    'usageEvents_202701',
  ]);
});

test('the metric counts down to the first month without a generation', async () => {
  const { change, daysAhead } = await aProcess();
  expect(await daysAhead('2026-11-23T00:00:00Z')).toBe(8);
  await change('2026-11-24T00:00:00Z');
  expect(await daysAhead('2026-11-24T00:00:00Z')).toBe(7 + 31);
  expect(await daysAhead('2026-12-02T00:00:00Z')).toBe(-1);
  await change('2026-12-02T00:00:00Z');
  expect(await daysAhead('2026-12-02T00:00:00Z')).toBe(30);
});
