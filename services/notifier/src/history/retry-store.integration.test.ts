import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type { Db } from 'mongodb';
import type { Delivery } from '../delivery/delivery';
import { DeliveryStore } from '../delivery/delivery-store';
import { RetryStore } from './retry-store';

describe('a delivery that is requested again', () => {
  const configuration = testServiceConfiguration('retry_store');
  const environmentId = newId();
  const key = { environmentId, endpointId: 'endpoint' };
  const start = new Date('2026-06-01T00:00:00.000Z');
  const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
  let mongo: MongoConnection;
  let store: DeliveryStore;
  let retries: RetryStore;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    store = new DeliveryStore(mongo.db);
    retries = new RetryStore(mongo.db);
    await store.ensureIndexes();
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  function delivery(fields: Partial<Delivery> = {}): Delivery {
    return {
      _id: newId(),
      ...key,
      messageId: newId(),
      subscriptionId: newId(),
      sequence: 1,
      previousId: null,
      status: 'PENDING',
      dueAt: start,
      claim: null,
      failures: 0,
      createdAt: start,
      ...fields,
    };
  }

  async function stored({ _id }: Delivery): Promise<Delivery> {
    const found = await mongo.db.collection<Delivery>('deliveries').findOne({ _id });
    if (found === null) throw new Error('It is not there any more');
    return found;
  }

  async function claim(claimed: Delivery, name: string, seconds: number): Promise<Delivery> {
    const lease = { claim: name, now: at(seconds), until: at(seconds + 30) };
    const [won] = await store.claim(environmentId, [claimed], lease);
    if (won === undefined) throw new Error('Nothing was claimed');
    return won;
  }

  const delivered = { status: 'DELIVERED', dueAt: undefined, failures: 0 } as const;

  test('while it is in flight is left to its sender', async () => {
    const one = delivery();
    await store.insert([one]);
    await claim(one, 'sender', 0);
    const asked = await retries.send(key, one._id, { now: at(1) });
    expect(asked).toMatchObject({ status: 'PENDING', claim: 'sender', dueAt: at(30) });
  });

  test('is not undone by a sender that has lost its claim', async () => {
    const one = delivery();
    await store.insert([one]);
    const slow = await claim(one, 'slow', 0);
    const quick = await claim(one, 'quick', 31);
    await store.settle([{ delivery: quick, claim: 'quick', ...delivered }]);
    await retries.send(key, one._id, { now: at(40) });
    await store.settle([{ delivery: slow, claim: 'slow', ...delivered, status: 'FAILED' }]);
    expect(await stored(one)).toMatchObject({
      status: 'PENDING',
      dueAt: at(40),
      isOutOfTurn: true,
      hasArrived: true,
    });
  });

  test('by ten callers concurrently is sent, and recorded as having arrived', async () => {
    const one = delivery({ status: 'DELIVERED', dueAt: null });
    await store.insert([one]);
    const asks = Array.from({ length: 10 }, () => retries.send(key, one._id, { now: at(1) }));
    for (const asked of await Promise.all(asks)) expect(asked).toMatchObject({ status: 'PENDING' });
    expect(await stored(one)).toMatchObject({ hasArrived: true, failures: 0 });
  });

  test.each<[string, Partial<Delivery>]>([
    ['DELIVERED', { status: 'DELIVERED', dueAt: null }],
    ['PENDING', { dueAt: at(60) }],
  ])('is answered as written when %s and the database fails after the write', async (_, fields) => {
    const one = delivery(fields);
    await store.insert([one]);
    const asked = await new RetryStore(failingAfterWrite()).send(key, one._id, { now: at(1) });
    expect(asked).toEqual(await stored(one));
    expect(asked).toMatchObject({ status: 'PENDING', dueAt: at(1) });
  });

  /** A database whose deliveries cannot be read once one was written. */
  function failingAfterWrite(): Db {
    const deliveries = mongo.db.collection<Delivery>('deliveries');
    let isWritten = false;
    const failing = new Proxy(deliveries, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (isWritten) return Promise.reject(new Error('The database fails'));
          isWritten = name === 'updateOne' || name === 'updateMany';
          return (value as (...of: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    return new Proxy(mongo.db, {
      get: (target, name) => {
        if (name === 'collection') {
          return (of: string) => (of === 'deliveries' ? failing : target.collection(of));
        }
        return Reflect.get(target, name, target) as unknown;
      },
    });
  }

  test('blocks none of its successors', async () => {
    const one = delivery({ status: 'FAILED', dueAt: null, failures: 10 });
    const next = delivery({ ...one, _id: newId(), sequence: 2, previousId: one._id });
    await store.insert([one, { ...next, status: 'PENDING', dueAt: at(1), failures: 0 }]);
    await retries.send(key, one._id, { now: at(1) });
    expect((await store.findUnfinished(environmentId, [one._id])).size).toBe(0);
    const tried = await claim(await stored(one), 'sender', 2);
    const again = { status: 'PENDING', failures: 1, dueAt: at(3_600) } as const;
    await store.settle([{ delivery: tried, claim: 'sender', ...again }]);
    expect(await stored(one)).toMatchObject({ dueAt: at(3_600) });
    expect(await stored(next)).toMatchObject({ dueAt: at(1) });
  });

  test('restarts its schedule while it waits, so that repeated requests do not use it up', async () => {
    const one = delivery({ failures: 9, dueAt: at(3_600) });
    const next = delivery({ ...one, _id: newId(), sequence: 2, previousId: one._id, failures: 0 });
    await store.insert([one, next]);
    const asked = await retries.send(key, next._id, { now: at(1) });
    expect(asked).toMatchObject({ status: 'PENDING', dueAt: at(1), previousId: one._id });
    expect(await stored(one)).toMatchObject({ dueAt: at(1), failures: 0, requestedAt: at(1) });
  });

  test('stays requested when its endpoint was found disabled before that', async () => {
    const one = delivery({ status: 'PAUSED', dueAt: null });
    const other = delivery();
    await store.insert([one, other]);
    await retries.send(key, one._id, { now: at(60) });
    await store.pause(key, { createdUntil: at(59) });
    expect(await stored(one)).toMatchObject({ status: 'PENDING' });
    expect(await stored(other)).toMatchObject({ status: 'PAUSED' });
    await store.pause(key, { createdUntil: at(61) });
    expect(await stored(one)).toMatchObject({ status: 'PAUSED' });
  });
});
