import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import type { Db } from 'mongodb';
import { newId } from '../ids';
import { connectPeer, type Peer } from '../grpc/peer';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { ReplicaStore } from '../replicas/replica-store';
import { pauseLeaseMs, type SystemDocument } from '../replicas/system-state';
import { SystemStore } from '../replicas/system-store';
import { type RunningService, Service } from './service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

const configuration = testServiceConfiguration('paused');
let mongo: MongoConnection;
let running: RunningService;
let calls: Peer<SystemServiceServer>;
let runs = 0;

const documents = (db: Db) => db.collection<SystemDocument>('system');
const pauseOf = (id: string, at = new Date()) => ({ id, beat: 1, at });
const write = () => calls.retryStuckCommand({ id: newId() }, testContext());
const read = () => calls.listStuckCommands({}, testContext());

/**
 * Pauses writes until the service refuses them; returns the next beat of the pause. It lapses
 * without beats, which a busy machine may take long to notice.
 */
async function pauseWrites(id: string): Promise<() => Promise<boolean>> {
  const store = new SystemStore(mongo.db);
  let beat = 1;
  const renew = () => {
    beat += 1;
    return store.renew({ ...pauseOf(id), beat });
  };
  expect(await store.pause(pauseOf(id))).toBe(true);
  await eventually(async () => {
    await renew();
    await expect(write()).rejects.toMatchObject({ kind: 'unavailable', reason: 'WRITES_PAUSED' });
  });
  return renew;
}

async function startService() {
  const service = await Service.open('paused', configuration);
  const run = async () => {
    runs += 1;
  };
  service.every({ name: 'count', everyMs: 50, run });
  return await service.serve([]);
}

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  running = await startService();
  calls = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    withoutTenant: ['getStatus', 'deleteEnvironment'],
  });
});

afterEach(async () => {
  await documents(mongo.db).deleteMany({});
});

afterAll(async () => {
  calls.close();
  await running.stop();
  await mongo.close();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

describe('a service whose writes are paused', () => {
  test('refuses writes, reads on, shows the pause, and writes again after its end', async () => {
    const store = new SystemStore(mongo.db);
    const renew = await pauseWrites('a');
    await expect(read()).resolves.toEqual({ commands: [] });
    await eventually(async () => {
      await renew();
      const [replica] = await new ReplicaStore(mongo.db).list();
      expect(replica?.system).toEqual({ state: 'PAUSED', pause: 'a', writing: 0 });
    });
    const before = runs;
    await eventually(async () => {
      await expect(renew()).resolves.toBe(true);
    });
    expect(runs).toBe(before);
    await store.resume('a');
    await eventually(async () => {
      await expect(write()).rejects.toMatchObject({ kind: 'not_found' });
    });
    await eventually(async () => {
      expect(runs).toBeGreaterThan(before);
    });
  });

  test('writes again when the command that paused them has died', async () => {
    await pauseWrites('killed');
    // As if its last beat were as long ago as a pause lasts.
    const at = new Date(Date.now() - pauseLeaseMs);
    await documents(mongo.db).updateOne({ _id: 'system' }, { $set: { 'pause.at': at } });
    await eventually(async () => {
      await expect(write()).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  test('writes while the command that paused them is dead', async () => {
    const old = new Date(Date.now() - 60_000);
    await new SystemStore(mongo.db).pause(pauseOf('dead', old));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await expect(write()).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the state of a system', () => {
  test('is paused by one command at a time', async () => {
    const store = new SystemStore(mongo.db);
    expect(await store.pause(pauseOf('a'))).toBe(true);
    expect(await store.pause(pauseOf('a'))).toBe(true);
    expect(await store.pause(pauseOf('b'))).toBe(false);
    expect(await store.renew(pauseOf('b'))).toBe(false);
    await store.resume('b');
    expect(await store.read()).toMatchObject({ state: 'PAUSED', pause: { id: 'a' } });
    await store.resume('a');
    expect(await store.read()).toEqual({ _id: 'system', state: 'OPEN' });
    expect(await store.pause(pauseOf('b'))).toBe(true);
  });

  test('is paused by the next command once the first one has died', async () => {
    const store = new SystemStore(mongo.db);
    await store.pause(pauseOf('dead', new Date(Date.now() - 60_000)));
    expect(await store.pause(pauseOf('b'))).toBe(true);
  });

  test.each(['RECOVERING', 'MOVED'])('that is %s is never paused', async (state) => {
    await documents(mongo.db).insertOne({ _id: 'system', state });
    expect(await new SystemStore(mongo.db).pause(pauseOf('a'))).toBe(false);
    expect(await documents(mongo.db).findOne()).toEqual({ _id: 'system', state });
  });

  test('refuses calls while a restore is checked', async () => {
    await documents(mongo.db).insertOne({ _id: 'system', state: 'RECOVERING' });
    await eventually(async () => {
      await expect(write()).rejects.toMatchObject({ kind: 'unavailable', reason: 'RECOVERING' });
    });
    await expect(calls.getStatus({}, testContext())).resolves.toMatchObject({ service: 'paused' });
  });
});

describe('data that was moved', () => {
  const instant = new Date('2026-11-28T12:00:00Z');

  test('refuses a start with the instant of the backup, until that is undone', async () => {
    const store = new SystemStore(mongo.db);
    expect(await store.move(instant)).toBe(true);
    await expect(startService()).rejects.toMatchObject({
      exitStatus: 78,
      message:
        'This data was moved by the final backup of 2026-11-28T12:00:00.000Z; start with --undo-final to use it again',
    });
    await store.undoMove();
    const second = await startService();
    await second.stop();
  });
});
