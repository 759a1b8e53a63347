import { type Db, MongoOperationTimeoutError } from 'mongodb';
import { systemClock } from '../clock';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { createLogger } from '../telemetry/logging';
import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';
import { gainAfterMs } from './membership';
import { goneAfterMs } from './replica';
import { Replicas } from './replicas';
import { SchemaGate } from './schema-gate';
import { sliceCount } from './slices';

interface Stored {
  readonly _id: string;
}

const configuration = testServiceConfiguration('replicas');
const logger = createLogger({ service: 'test', level: 'silent' });
let mongo: MongoConnection;
let nowMs = 0;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

beforeEach(async () => {
  nowMs = 0;
  await mongo.db.collection('replicas').deleteMany({});
  await mongo.db.collection('schema').deleteMany({});
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function replica({ db = mongo.db, release = 'development' }: { db?: Db; release?: string } = {}) {
  return new Replicas(db, { clock: systemClock, logger, release, nowMs: () => nowMs });
}

/** Returns the database with one method that fails whenever there is a failure. */
function failing(broken: string, failure: () => Error | undefined): Db {
  return new Proxy(mongo.db, {
    get: (db, key) =>
      key === 'collection'
        ? (name: string) =>
            new Proxy(db.collection(name), {
              get: (collection, method) => {
                const value = Reflect.get(collection, method, collection) as unknown;
                if (typeof value !== 'function') return value;
                return (...parameters: unknown[]) => {
                  const error = method === broken ? failure() : undefined;
                  if (error !== undefined) throw error;
                  return Reflect.apply(value, collection, parameters) as unknown;
                };
              },
            })
        : (Reflect.get(db, key, db) as unknown),
  });
}

const sizeOf = (one: Replicas): number => {
  const filter = one.filter();
  if (filter === undefined) return 0;
  return filter.slice?.$in.filter((slice) => slice !== null).length ?? sliceCount;
};
const stored = () => mongo.db.collection<Stored>('replicas').find().toArray();

describe('replicas of one service', () => {
  test('share the slices, and only one of them has those without a slice', async () => {
    const replicas = [replica(), replica(), replica()];
    for (const one of replicas) await one.start();
    for (const one of replicas) await one.keepAlive();
    nowMs = gainAfterMs;
    for (const one of replicas) await one.keepAlive();
    expect(replicas.map(sizeOf).toSorted()).toEqual([21, 21, 22]);
    const withNull = replicas.filter((one) => one.filter()?.slice?.$in.includes(null));
    expect(withNull).toHaveLength(1);
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(replicas.filter((one) => one.owns(id))).toHaveLength(1);
    }
  });

  test('have no condition while one is alone, and return the same one until it changes', async () => {
    const first = replica();
    await first.start();
    expect(first.filter()).toEqual({});
    const second = replica();
    await second.start();
    await first.keepAlive();
    const half = first.filter();
    await first.keepAlive();
    expect(first.filter()).toBe(half);
    expect(sizeOf(first)).toBe(sliceCount / 2);
    await second.stop();
    await first.keepAlive();
    nowMs = gainAfterMs;
    expect(first.filter()).toEqual({});
  });

  test('give up their slices when their heartbeats cannot be written, and come back', async () => {
    let isBroken = false;
    const failure = () => (isBroken ? new Error('Not writable') : undefined);
    const one = replica({ db: failing('updateOne', failure) });
    await one.start();
    isBroken = true;
    nowMs = goneAfterMs - 1;
    await expect(one.keepAlive()).rejects.toThrow('Not writable');
    expect(sizeOf(one)).toBe(sliceCount);
    nowMs = goneAfterMs;
    expect(one.filter()).toBeUndefined();
    isBroken = false;
    await one.keepAlive();
    expect(sizeOf(one)).toBe(sliceCount);
  });

  test('start although the database answers too slowly at first', async () => {
    const failures = [new MongoOperationTimeoutError('Timed out')];
    const one = replica({ db: failing('find', () => failures.shift()) });
    await one.start();
    expect(failures).toEqual([]);
    expect(one.filter()).toEqual({});
  });

  test('choose another id if a later process has taken theirs', async () => {
    const one = replica();
    await one.start();
    const { id } = one;
    await mongo.db.collection<Stored>('replicas').updateOne({ _id: id }, { $set: { run: 'x' } });
    await one.keepAlive();
    expect(one.id).not.toBe(id);
    expect((await stored()).map(({ _id }) => _id).toSorted()).toEqual([id, one.id].toSorted());
  });

  test('write their heartbeats again after these were removed', async () => {
    const one = replica();
    await one.start();
    await mongo.db.collection('replicas').deleteMany({});
    await one.keepAlive();
    expect(await stored()).toMatchObject([{ _id: one.id, beat: 1, release: 'development' }]);
  });

  test('learn the state of the system together with their heartbeats', async () => {
    const one = replica();
    await one.start();
    await one.keepAlive();
    expect(one.system.state).toBe('OPEN');
    const pause = { id: 'backup', beat: 1, at: systemClock.now() };
    await one.system.store.pause(pause);
    await one.keepAlive();
    expect(one.system.state).toBe('PAUSED');
    expect(one.filter()).toBeUndefined();
    await mongo.db.collection('system').deleteMany({});
    await one.keepAlive();
    expect(one.system.state).toBe('OPEN');
    expect(await stored()).toMatchObject([{ _id: one.id, beat: 3 }]);
  });

  test('know that they are alone until another one has a heartbeat', async () => {
    const one = replica();
    expect(one.isAlone).toBe(false);
    await one.start();
    expect(one.isAlone).toBe(true);
    const other = replica();
    await other.start();
    expect(other.isAlone).toBe(false);
    await one.keepAlive();
    expect(one.isAlone).toBe(false);
    nowMs = gainAfterMs;
    await one.keepAlive();
    await other.stop();
    await one.keepAlive();
    // The slices of the other one are gained after a wait.
    expect(one.isAlone).toBe(false);
    nowMs = 2 * gainAfterMs;
    await one.keepAlive();
    expect(one.isAlone).toBe(true);
  });

  test('do not wait for a process that was killed on the same machine', async () => {
    const one = replica();
    // No process has this id: it is above the largest.
    const killed = one.id.replace(/\/\d+\/\d+$/, '/4194305/0');
    const heartbeat = { run: 'x', beat: 9, at: systemClock.now(), release: 'development' };
    await mongo.db.collection<Stored>('replicas').insertOne({ _id: killed, ...heartbeat });
    await one.start();
    expect(one.filter()).toEqual({});
    expect((await stored()).map(({ _id }) => _id)).toEqual([one.id]);
  });

  test('remove heartbeats of replicas that have been silent for long', async () => {
    const heartbeat = { run: 'x', beat: 9, at: systemClock.now(), release: 'development' };
    await mongo.db.collection<Stored>('replicas').insertOne({ _id: 'elsewhere', ...heartbeat });
    const one = replica();
    await one.start();
    expect(sizeOf(one)).toBe(0);
    nowMs = 9 * 60_000;
    await one.keepAlive();
    expect(await stored()).toHaveLength(2);
    nowMs = 11 * 60_000;
    await one.keepAlive();
    expect((await stored()).map(({ _id }) => _id)).toEqual([one.id]);
  });
});

describe('a shared count', () => {
  const sharing = (count: number) => {
    const seen: [string, number][][] = [];
    const shared = {
      own: () => count,
      observe: (counts: ReadonlyMap<string, number>) => void seen.push([...counts]),
    };
    return { shared, seen };
  };

  test('reaches the other replicas with the heartbeats', async () => {
    const [one, other, silent] = [replica(), replica(), replica()];
    const [atOne, atOther] = [sharing(3), sharing(5)];
    one.shareCount(atOne.shared);
    other.shareCount(atOther.shared);
    for (const started of [one, other, silent]) await started.start();
    await one.keepAlive();
    expect(atOne.seen.at(-1)).toEqual([[other.id, 5]]);
    await other.keepAlive();
    expect(atOther.seen.at(-1)).toEqual([[one.id, 3]]);
  });
});

describe('a step that older releases cannot share', () => {
  const step = { version: 1, needs: '0.4.0' };
  const runs: string[] = [];
  const take = (release: string) =>
    new SchemaGate(mongo.db, release).take({
      ...step,
      run: async () => {
        runs.push(release);
      },
    });

  beforeEach(() => {
    runs.length = 0;
  });

  test('waits until no older release has a heartbeat, and runs once', async () => {
    const [old, current] = [replica({ release: '0.3.9' }), replica({ release: '0.4.0' })];
    await old.start();
    await current.start();
    await new SchemaGate(mongo.db, '0.3.9').check();
    expect(await take('0.4.0')).toBe(false);
    await old.stop();
    expect(await take('0.4.0')).toBe(true);
    expect(await take('0.4.0')).toBe(true);
    expect(runs).toEqual(['0.4.0']);
    expect(await mongo.db.collection('schema').find().toArray()).toEqual([
      { _id: 'schema', version: 1, needs: '0.4.0' },
    ]);
  });

  test('refuses the start of an older release afterwards', async () => {
    await take('0.4.0');
    await expect(new SchemaGate(mongo.db, '0.3.9').check()).rejects.toMatchObject({
      message: 'This data needs release 0.4.0 or later',
      exitStatus: 78,
    });
    for (const release of ['0.4.0', '0.10.0', 'development']) {
      await new SchemaGate(mongo.db, release).check();
    }
  });

  test('runs again if it failed', async () => {
    const failing = new SchemaGate(mongo.db, '0.4.0').take({
      ...step,
      run: () => Promise.reject(new Error('Failed')),
    });
    await expect(failing).rejects.toThrow('Failed');
    expect(await take('0.4.0')).toBe(true);
    expect(runs).toEqual(['0.4.0']);
  });
});
