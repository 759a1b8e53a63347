import type { Collection, Db } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { EndpointHealthStore } from './health-store';

const configuration = testServiceConfiguration('endpoint_health');
const writers = 20;

let mongo: MongoConnection;
let replicas: readonly EndpointHealthStore[];

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  replicas = Array.from({ length: writers }, () => new EndpointHealthStore(mongo.db));
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/**
 * Emulates a lost race in MongoDB: the first write to a collection meets a document that a rival
 * has just inserted. DocumentDB retries such a write internally.
 */
function withRival(rival: { readonly _id: string; readonly environmentId: string }): Db {
  const lose = async (collection: Collection<typeof rival>) => {
    await collection.insertOne({ ...rival });
    await collection.insertOne({ ...rival });
  };
  return new Proxy(mongo.db, {
    get: (db, method) => {
      if (method !== 'collection') return Reflect.get(db, method, db) as unknown;
      return (name: string) => {
        const collection = db.collection<typeof rival>(name);
        let isLost = false;
        return new Proxy(collection, {
          get: (one, name) => {
            const value = Reflect.get(one, name, one) as (...args: unknown[]) => unknown;
            if (name !== 'updateOne' && name !== 'bulkWrite') return value.bind(one);
            return async (...args: unknown[]) => {
              if (!isLost) {
                isLost = true;
                await lose(one);
              }
              return value.apply(one, args);
            };
          },
        });
      };
    },
  });
}

const anEndpoint = () => ({ environmentId: newId(), endpointId: newId() });

describe('the health of endpoints that were never tried', () => {
  test('is recorded by any number of concurrent successes', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const keys = Array.from({ length: 10 }, anEndpoint);
      await Promise.all(replicas.map((replica) => replica.recordSuccesses(keys)));
      const working = await replicas[0]?.findWorking(keys.map(({ endpointId }) => endpointId));
      expect(working?.size).toBe(keys.length);
    }
  });

  test('is recorded by any number of concurrent failures, with the time of one of them', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const key = anEndpoint();
      const times = replicas.map((_, index) => new Date(Date.UTC(2026, 0, 1, 0, 0, index)));
      await Promise.all(
        replicas.map((replica, index) => replica.recordFailure(key, times[index] ?? new Date(0))),
      );
      const later = new Date('2026-02-01T00:00:00Z');
      expect(times).toContainEqual(await replicas[0]?.recordFailure(key, later));
    }
  });

  test('is recorded although a rival records it first', async () => {
    const key = anEndpoint();
    const rival = { _id: key.endpointId, environmentId: key.environmentId };
    await new EndpointHealthStore(withRival(rival)).recordSuccesses([key]);
    expect(await replicas[0]?.findWorking([key.endpointId])).toEqual(new Set([key.endpointId]));

    const failing = anEndpoint();
    const at = new Date('2026-01-01T00:00:00Z');
    const first = { _id: failing.endpointId, environmentId: failing.environmentId };
    await new EndpointHealthStore(withRival(first)).recordFailure(failing, at);
    const later = new Date('2026-02-01T00:00:00Z');
    expect(await replicas[0]?.recordFailure(failing, later)).toEqual(at);
  });
});
