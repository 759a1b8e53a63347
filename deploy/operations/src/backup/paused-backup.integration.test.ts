import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type RunningService, Service } from '@billing/chassis/service';
import { SystemStore } from '@billing/chassis/system-store';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { makeSharedFolder } from '@billing/local/account';
import { databaseNames } from '@billing/local/moved-data';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { BSON, MongoClient } from 'mongodb';
import type { Manifest } from '../files/manifest';
import { restore } from '../restore/restore';
import { withCommandLease } from '../database/command-lease';
import { withDatabases } from '../database/databases';
import { readFacts } from '../doctor/read-facts';
import { backUp } from './backup';

// The servers of the tests, given by their address.
const configuration = testServiceConfiguration('identity');
const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
const prefix = database.replace(/_identity$/, '');
const restoredPrefix = `${prefix}_restored`;
let folder: string;
let client: MongoClient;
let running: RunningService;
let calls: Peer<SystemServiceServer>;

const write = () => calls.retryStuckCommand({ id: newId() }, testContext());
const read = () => calls.listStuckCommands({}, testContext());
const stateOf = async (name: string) => (await new SystemStore(client.db(name)).read())?.state;
const options = (final: boolean) => ({ to: folder, final, dataDir: join(folder, 'data') });

const documents = [
  { _id: 'a', int: new BSON.Int32(1), double: new BSON.Double(1), long: BSON.Long.fromNumber(7) },
  { _id: 'b', at: new Date(0), bytes: new BSON.Binary(Buffer.from('x')), list: [null, true, ''] },
  { _id: 'c', decimal: BSON.Decimal128.fromString('1.10'), nested: { deep: { text: 'é' } } },
];

beforeAll(async () => {
  process.env.DATABASE_PREFIX = prefix;
  folder = await mkdtemp(join(tmpdir(), 'billing-backups-'));
  await makeSharedFolder(folder);
  await mkdir(options(false).dataDir);
  client = await MongoClient.connect(uri);
  const things = client.db(`${prefix}_catalog`).collection<{ _id: string }>('things');
  await things.insertMany(documents);
  await things.createIndexes([{ key: { int: -1, double: 1 }, name: 'byNumbers' }]);
  const service = await Service.open('identity', configuration);
  running = await service.serve([]);
  calls = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    withoutTenant: ['getStatus', 'deleteEnvironment'],
  });
});

afterAll(async () => {
  calls.close();
  for (const name of [prefix, restoredPrefix].flatMap((one) => [...databaseNames(one).values()])) {
    await client.db(name).dropDatabase();
  }
  await client.close();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
  await rm(folder, { recursive: true, force: true });
});

test('a backup pauses writes, reads go on, and afterwards writes do, too', async () => {
  const ended = new AbortController();
  const backup = backUp(options(false)).finally(() => {
    ended.abort();
  });
  let paused = 0;
  while (!ended.signal.aborted) {
    await read();
    paused += await write().then(
      () => 0,
      (error: unknown) => ((error as { reason?: string }).reason === 'WRITES_PAUSED' ? 1 : 0),
    );
  }
  const { path, pausedMs } = await backup;
  expect(paused).toBeGreaterThan(0);
  expect(pausedMs).toBeGreaterThan(0);
  const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as Manifest;
  expect(manifest.documents).toMatchObject({ 'catalog.things': 3 });
  expect(manifest.installation.databases).toBeNull();
  for (const name of databaseNames(prefix).values()) expect(await stateOf(name)).toBe('OPEN');
  await eventually(async () => {
    await expect(write()).rejects.toMatchObject({ kind: 'not_found' });
  });
});

test('one backup runs at a time', async () => {
  const both = await Promise.allSettled([backUp(options(false)), backUp(options(false))]);
  const refused = both.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ exitStatus: 75 }) },
  ]);
  expect((refused[0] as PromiseRejectedResult).reason.message).toBe('A backup is running');
});

test('a backup that has lost its lease is not completed', async () => {
  await withDatabases(uri, { databasePrefix: prefix, services: {} }, (databases) =>
    withCommandLease('backup', databases, async (lease) => {
      const leases = databases[0]!.db.collection<{ _id: string; owner: string }>('system');
      await expect(lease.confirm()).resolves.toBeUndefined();
      await leases.updateOne({ _id: 'backup' }, { $set: { owner: 'other' } });
      await expect(lease.confirm()).rejects.toMatchObject({ exitStatus: 75 });
      await leases.deleteOne({ _id: 'backup', owner: 'other' });
    }),
  );
});

test('sandboxes that have waited longer do not hide what waits in live environments', async () => {
  const waiting = client.db(`${prefix}_discount`).collection('waiting');
  const [old, recent] = [new Date('2026-01-01'), new Date('2026-06-01')];
  const sandbox = { live: false, pendingSince: old, timeline: 'real', dueAt: old };
  await waiting.createIndexes([{ key: { pendingSince: 1 } }, { key: { timeline: 1, dueAt: 1 } }]);
  await waiting.insertMany([
    ...Array.from({ length: 1_001 }, () => ({ ...sandbox })),
    { live: true, pendingSince: recent, timeline: 'real', dueAt: recent },
  ]);
  const { services } = await withDatabases(
    uri,
    { databasePrefix: prefix, services: {} },
    (databases) => readFacts(databases, undefined),
  );
  expect(services.find(({ service }) => service === 'discount')).toMatchObject({
    outboxSince: recent,
    dueSince: recent,
  });
  await waiting.drop();
});

test('a backup is refused while a replica of 0.1.0 runs, and nothing stays paused', async () => {
  const replicas = client.db(`${prefix}_checkout`).collection<{ _id: string }>('replicas');
  const ended = new AbortController();
  const beating = (async () => {
    for (let beat = 1; !ended.signal.aborted; beat += 1) {
      const heartbeat = { run: 'x', beat, at: new Date(), release: '0.1.0' };
      await replicas.updateOne({ _id: 'old' }, { $set: heartbeat }, { upsert: true });
      await sleep(500, ended.signal);
    }
  })();
  try {
    await eventually(async () => {
      expect(await replicas.countDocuments()).toBe(1);
    });
    await expect(backUp(options(false))).rejects.toMatchObject({
      exitStatus: 75,
      // On a busy machine identity, which runs, may be late, too.
      message: expect.stringMatching(/^Writes could not be paused within 15 s: (\w+, )*checkout\b/),
    });
    expect(await stateOf(`${prefix}_catalog`)).toBe('OPEN');
    await expect(backUp(options(true))).rejects.toMatchObject({
      exitStatus: 75,
      message: expect.stringMatching(/^A replica of (checkout|identity) is running$/),
    });
  } finally {
    ended.abort();
    await beating;
    await replicas.deleteMany({});
  }
});

test('a final backup is restored with every document and index, into empty databases', async () => {
  await running.stop();
  const { path, pausedMs } = await backUp(options(true));
  expect(pausedMs).toBe(0);
  expect(await stateOf(`${prefix}_catalog`)).toBe('MOVED');

  process.env.DATABASE_PREFIX = restoredPrefix;
  const stray = client.db(`${restoredPrefix}_discount`).collection('stray');
  await stray.insertOne({});
  const dataDir = join(folder, 'restored');
  await expect(restore({ from: path, dataDir })).rejects.toMatchObject({
    exitStatus: 78,
    message: `Database ${restoredPrefix}_discount is not empty`,
  });
  await stray.drop();

  // No checksum covers it.
  await writeFile(join(path, `databases/${prefix}_catalog/other.bson`), BSON.serialize({ _id: 1 }));

  // The refused command has made no folder.
  await restore({ from: path, dataDir });
  const [from, to] = [prefix, restoredPrefix].map((one) =>
    client.db(`${one}_catalog`).collection('things'),
  );
  const exact = { promoteValues: false };
  const stored = await to!.find({}, exact).sort({ _id: 1 }).toArray();
  expect(stored).toEqual(await from!.find({}, exact).sort({ _id: 1 }).toArray());
  const named = async (collection: typeof to) =>
    (await collection!.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]);
  expect(await named(to)).toEqual(await named(from));
  expect(await client.db(`${restoredPrefix}_catalog`).collection('other').countDocuments()).toBe(0);
  expect(await stateOf(`${restoredPrefix}_catalog`)).toBe('OPEN');
});
