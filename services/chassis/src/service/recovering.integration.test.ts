import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { newId } from '../ids';
import { connectPeer, type Peer } from '../grpc/peer';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import type { RecoveryContext } from '../recovery/recovery';
import { Restores } from '../recovery/restores';
import { ReplicaStore } from '../replicas/replica-store';
import { SystemStore } from '../replicas/system-store';
import { type RunningService, Service } from './service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

const configuration = testServiceConfiguration('recovering');
const instant = new Date('2026-11-28T20:00:00Z');
const restore = { id: newId(), code: 'WHDWR', at: new Date('2026-11-28T21:00:00Z'), instant };
let mongo: MongoConnection;
let service: Service;
let running: RunningService;
let store: SystemStore;
let runs = 0;
const reasserted: RecoveryContext[] = [];
let failures = 1;

function connect(fromService: boolean): Peer<SystemServiceServer> {
  return connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    fromService,
    withoutTenant: ['getStatus', 'deleteEnvironment'],
  });
}

const write = (peer: Peer<SystemServiceServer>) =>
  peer.retryStuckCommand({ id: newId() }, testContext());

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  store = new SystemStore(mongo.db);
  expect(await store.close()).toBe(true);
  await new Restores(mongo.db).record(restore);
  service = await Service.open('recovering', configuration);
  service.every({
    name: 'count',
    everyMs: 50,
    run: async () => {
      runs += 1;
    },
  });
  service.recoverBy({
    reassert: async (context) => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('a peer is down');
      }
      reasserted.push(context);
      return { commands: 3 };
    },
  });
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await mongo.close();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const donesOf = async () => (await store.read())?.done ?? {};

test('a service that recovers serves only other services, takes the steps it is asked for, and opens', async () => {
  const [outside, peer] = [connect(false), connect(true)];
  const { system } = service.slices;
  await expect(write(outside)).rejects.toMatchObject({ reason: 'RECOVERING' });
  await expect(write(peer)).rejects.toMatchObject({ kind: 'not_found' });
  expect(system.holdsMessages).toBe(true);
  expect(system.restoreCode).toBe(restore.code);

  // No step is taken before all databases are restored.
  await store.requestStep('fence');
  await store.recoverFrom(restore);
  await eventually(async () => {
    expect(await donesOf()).toEqual({ fence: { purged: 0 } });
  });
  await eventually(async () => {
    const [replica] = await new ReplicaStore(mongo.db).list();
    expect(replica?.system).toMatchObject({ state: 'RECOVERING', restore: restore.id });
  });

  await store.requestStep('reassert');
  await eventually(async () => {
    expect(await donesOf()).toMatchObject({ reassert: { commands: 3 } });
  });
  expect(reasserted).toEqual([{ restore, since: new Date('2026-11-28T19:00:00Z') }]);
  expect(system.holdsMessages).toBe(false);
  expect(service.slices.filter()).toBeUndefined();
  expect(service.slices.ofMessages.filter()).toBeDefined();

  await store.requestStep('catchUp');
  await eventually(async () => {
    expect(await donesOf()).toMatchObject({ catchUp: {} });
  });
  expect((await store.read())?.lease).toBeUndefined();
  expect(runs).toBe(0);
  await expect(write(outside)).rejects.toMatchObject({ reason: 'RECOVERING' });

  await store.open();
  expect(await store.read()).toEqual({ _id: 'system', state: 'OPEN' });
  await eventually(async () => {
    await expect(write(outside)).rejects.toMatchObject({ kind: 'not_found' });
  });
  await eventually(async () => {
    expect(runs).toBeGreaterThan(0);
  });
  outside.close();
  peer.close();
});

test('a step belongs to one replica until its lease ends', async () => {
  const now = new Date();
  await store.close();
  await store.recoverFrom(restore);
  // Not a step of the service, which therefore leaves it alone until it is asked for.
  expect(await store.leaseStep('later', 'a', now)).toBe(false);
  await mongo.db
    .collection('system')
    .updateOne({}, { $set: { step: 'later', done: { later: {} } } });
  expect(await store.leaseStep('later', 'a', now)).toBe(false);
  await store.open();
});

test('a service that runs while its database is restored numbers by the code of that restore', async () => {
  const later = { ...restore, id: newId(), code: 'WHDWS', at: new Date('2026-11-28T21:01:00Z') };
  await store.close();
  await new Restores(mongo.db).record(later);
  await store.recoverFrom(later);
  const { system } = service.slices;
  await eventually(() => {
    expect([system.restoreCode, system.lastRestore?.id]).toEqual(['WHDWS', later.id]);
  });
  expect(system.restoreCodes).toEqual(['WHDWS', restore.code]);
  await store.open();
});

test('data that was moved is not closed by a restore', async () => {
  await store.move(instant);
  expect(await store.close()).toBe(false);
  await store.undoMove();
  expect(await store.read()).toEqual({ _id: 'system', state: 'OPEN' });
});
