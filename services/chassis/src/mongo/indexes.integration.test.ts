import { ensureIndexes, connectMongo } from './mongo';
import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';

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

  test('of an earlier version are rebuilt, and the data stays', async () => {
    const orders = mongo.db.collection('orders');
    await ensureIndexes(orders, [{ name: 'due', key: { dueAt: 1 } }]);
    await orders.insertOne({ dueAt: 1, sequence: 2 });
    await ensureIndexes(orders, [{ name: 'due', key: { dueAt: 1, sequence: -1 } }]);
    expect(await keysOf('orders')).toContainEqual(['due', ['dueAt', 'sequence']]);
    expect(await orders.countDocuments({ dueAt: 1 })).toBe(1);
  });
});
