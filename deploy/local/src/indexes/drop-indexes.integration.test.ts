import { connectMongo, ensureIndexes, type MongoConnection } from '@billing/chassis/mongo';
import { SystemStore } from '@billing/chassis/system-store';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { dropIndexes } from './drop-indexes';

const configuration = testServiceConfiguration('indexes');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

async function indexesOf(collection: string): Promise<unknown[]> {
  return (await mongo.db.collection(collection).indexes()).map(({ name }) => name).toSorted();
}

test('only indexes that neither of two releases wants are dropped, once both are known', async () => {
  const { db } = mongo;
  const system = new SystemStore(db);
  const names = ['earlier', 'before', 'now', 'later'];
  const indexes = names.map((name) => ({ name, key: { [name]: 1 } as const }));
  await ensureIndexes(db.collection('orders'), indexes);
  await ensureIndexes(db.collection('others'), indexes);
  await db.collection('orders').createIndex({ _id: 'hashed' });
  const ofDeletions = { name: 'environment', key: { environmentId: 1 } } as const;
  await ensureIndexes(db.collection('orders'), [ofDeletions]);
  const dropped: string[] = [];
  const drop = () => dropIndexes(db, (line) => dropped.push(line));

  expect(await drop()).toBeUndefined();
  await system.recordIndexes({ release: '0.2.0', names: ['orders.before'] });
  await system.recordIndexes({ release: '0.2.0', names: ['orders.before', 'orders.later'] });
  expect(await drop()).toBeUndefined();

  await system.recordIndexes({ release: '0.3.0', names: ['orders.now'] });
  // A start that waits for indexes records the ones that it has named so far.
  await system.recordIndexes({ release: '0.3.0', names: ['orders.now', 'orders.later'] });
  expect(await drop()).toBe(1);
  expect(dropped).toEqual(['dropped orders.earlier']);
  expect(await indexesOf('orders')).toEqual([
    '_id_',
    '_id_hashed',
    'before',
    'environment',
    'later',
    'now',
  ]);
  expect(await indexesOf('others')).toHaveLength(5);
  expect(await drop()).toBe(0);

  await system.recordIndexes({ release: '0.4.0', names: ['orders.later'] });
  expect(await drop()).toBe(1);
  expect(await indexesOf('orders')).toEqual(['_id_', '_id_hashed', 'environment', 'later', 'now']);
});
