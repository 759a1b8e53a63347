import pino from 'pino';
import { buildingIndexes, connectMongo, ensureIndexes, MissingIndexError } from './mongo';
import { untilIndexed } from './missing-indexes';
import { dropTestDatabase, eventually, testServiceConfiguration } from '../testing/testing';

const configuration = testServiceConfiguration('indexes');

describe('the indexes of a collection', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  const keysOf = async (collection: string) =>
    (await mongo.db.collection(collection).indexes()).map(({ name, key }) => [
      name,
      Object.keys(key as object),
    ]);

  test('are created on a collection that does not exist yet, and again without effect', async () => {
    const things = mongo.db.collection('things');
    for (let time = 1; time <= 2; time += 1) {
      await ensureIndexes(things, [{ name: 'owner', key: { owner: 1 }, unique: true }]);
    }
    expect(await keysOf('things')).toEqual([
      ['_id_', ['_id']],
      ['owner', ['owner']],
    ]);
  });

  test('with other keys need another name, so that no start drops one', async () => {
    const orders = mongo.db.collection('orders');
    await ensureIndexes(orders, [{ name: 'due', key: { dueAt: 1 } }]);
    const changed = { dueAt: 1, sequence: -1 } as const;
    await expect(ensureIndexes(orders, [{ name: 'due', key: changed }])).rejects.toThrow(
      'orders.due has other keys: a new index needs a new name',
    );
    await ensureIndexes(orders, [{ name: 'dueInOrder', key: changed }]);
    expect(await keysOf('orders')).toEqual([
      ['_id_', ['_id']],
      ['due', ['dueAt']],
      ['dueInOrder', ['dueAt', 'sequence']],
    ]);
  });

  test('are built on a large collection by command only, and awaited until then', async () => {
    const large = mongo.db.collection('large');
    await large.insertOne({ owner: 1 });
    // As if one document were as many as count as large.
    const ensure = () => ensureIndexes(large, [{ name: 'owner', key: { owner: 1 } }], 0);
    await expect(ensure()).rejects.toEqual(new MissingIndexError(['large.owner']));
    expect(await keysOf('large')).toEqual([['_id_', ['_id']]]);

    const logged: string[] = [];
    const logger = pino({}, { write: (line: string) => logged.push(JSON.parse(line).msg) });
    const recorded: (readonly string[])[] = [];
    const indexes = {
      missing: 0,
      names: new Set(['small.owner']),
      record: async (names: readonly string[]) => void recorded.push(names),
    };
    const waiting = untilIndexed(ensure, { logger, indexes, everyMs: 10 });
    await eventually(() => {
      expect(logged[0]).toBe('missing index large.owner: run npm run indexes');
    });
    expect(indexes.missing).toBe(1);
    expect(recorded[0]).toEqual(['small.owner', 'large.owner']);
    const reported: string[] = [];
    await buildingIndexes((line) => reported.push(line), ensure);
    await waiting;
    expect(indexes.missing).toBe(0);
    expect(reported).toEqual([expect.stringMatching(/^building large\.owner \(\d+ documents\)$/)]);
    expect(await keysOf('large')).toContainEqual(['owner', ['owner']]);
    await ensure();
  });
});
