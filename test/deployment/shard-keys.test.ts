import { MongoClient } from 'mongodb';
import { layoutOf } from '@billing/chassis/collection-layout';
import { collectionsByService } from '@billing/local/collections';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let client: MongoClient;

beforeAll(async () => {
  system = await joinTestSystem();
  client = await MongoClient.connect(system.databases.uri);
});

afterAll(async () => {
  await client.close();
});

describe.each(Object.entries(collectionsByService))('each collection of %s', (service, layouts) => {
  const database = () => client.db(`${system.databases.prefix}_${service}`);
  const stored = async () =>
    (await database().listCollections({}, { nameOnly: true }).toArray())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('system.'));

  test('has a layout', async () => {
    const names = await stored();
    expect(names).not.toEqual([]);
    expect(names.filter((name) => layoutOf(layouts, name) === undefined)).toEqual([]);
  });

  test('has no unique index that does not begin with its shard key', async () => {
    const conflicting: string[] = [];
    for (const name of await stored()) {
      const shardKey = Object.keys(layoutOf(layouts, name)?.shardKey ?? {});
      for (const index of await database().collection(name).indexes()) {
        const fields = Object.keys(index.key);
        const isCompatible = shardKey.every((field, at) => fields[at] === field);
        if (index.unique === true && index.name !== '_id_' && !isCompatible) {
          conflicting.push(`${name}.${String(index.name)}`);
        }
      }
    }
    expect(conflicting).toEqual([]);
  });

  test('of a ranged shard key has an index that begins with it', async () => {
    const names = await stored();
    for (const [name, { shardKey = {} }] of Object.entries(layouts)) {
      const key = Object.keys(shardKey);
      if (Object.values(shardKey).includes('hashed') || key.length === 0) continue;
      if (!names.includes(name)) continue;
      const indexes = await database().collection(name).indexes();
      const begins = indexes.map((index) => Object.keys(index.key).slice(0, key.length));
      expect(begins).toContainEqual(key);
    }
  });
});
