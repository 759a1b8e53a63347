import { ReplicaStore } from '@billing/chassis/replica-store';
import type { SystemStore } from '@billing/chassis/system-store';
import { ServiceDatabases } from '../testing/service-databases';
import { announceIn } from './announced-restore';

const databases = new ServiceDatabases('announced', ['catalog', 'checkout']);
const instant = new Date();
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  await databases.connect();
  for (const { db } of databases.all) {
    const aggregates = db.collection('aggregates');
    await aggregates.createIndex({ pendingSince: 1 });
    await aggregates.insertOne({ changedAt: instant });
  }
});

afterAll(async () => {
  for (const timer of timers) clearInterval(timer);
  await databases.drop();
});

const states = () =>
  Promise.all(databases.all.map(async ({ system }) => (await system.read())?.state));

/** Starts a replica of catalog, which counts up its heartbeat. */
async function startReplica(): Promise<void> {
  const store = new ReplicaStore(databases.of('catalog'));
  const fields = { replica: 'r1', run: 'one', at: instant, release: '0.2.0' };
  let beat = 0;
  await store.register({ ...fields, beat });
  const next = () => void store.beat({ ...fields, beat: ++beat });
  timers.push(setInterval(next, 100));
}

test('a replica that starts before all databases are closed ends the command, and they are as before', async () => {
  const [first, last] = databases.all;
  const close = async () => {
    await startReplica();
    return await last!.system.close();
  };
  const system = Object.assign(Object.create(last!.system) as SystemStore, { close });
  await expect(announceIn([first!, { ...last!, system }], instant)).rejects.toMatchObject({
    exitStatus: 75,
    message: 'A replica of catalog is running',
  });
  expect(await states()).toEqual([undefined, undefined]);
});

test('databases that were written after the instant stay as they are', async () => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  for (const { db } of databases.all) await new ReplicaStore(db).removeAll();
  const later = new Date(instant.getTime() + 120_000);
  await databases.of('checkout').collection('aggregates').insertOne({ changedAt: later });
  await expect(announceIn(databases.all, instant)).rejects.toMatchObject({ exitStatus: 78 });
  expect(await states()).toEqual([undefined, undefined]);
});
