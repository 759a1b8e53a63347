import { appendFile, cp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemStore } from '@billing/chassis/system-store';
import { productVersion } from '@billing/chassis/version';
import { eventually } from '@billing/chassis/testing';
import { ensureFirstKeys } from '@billing/local/first-keys';
import { openMovedData } from '@billing/local/moved-data';
import { MongoClient } from 'mongodb';
import { pathsBelow } from './files/file-list';
import type { Manifest } from './files/manifest';
import { restore } from './restore/restore';
import { examine } from './doctor/examine';
import { backUp, type BackupResult } from './backup/backup';
import {
  createInvoice,
  listInvoices,
  makeServersFolder,
  startAll,
  startOn,
  startServers,
  stopAll,
} from './testing/started-system';

// Servers of their own on real disks: the launcher's PostgreSQL, which is copied while it runs.
jest.setTimeout(600_000);

let folder: string;
let dataDir: string;
let backups: string;
let liveKey: string;

const readManifestOf = async ({ path }: BackupResult) =>
  JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as Manifest;

beforeAll(async () => {
  folder = await makeServersFolder();
  dataDir = join(folder, 'source');
  backups = join(folder, 'backups');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('a system is backed up while it runs, moved, and served as before elsewhere', async () => {
  const source = await startAll(dataDir, folder);
  ({ liveKey } = await ensureFirstKeys(source.system.addresses.identity, dataDir));
  await createInvoice(source, liveKey);

  const running = await backUp({ to: backups, final: false, dataDir });
  expect(Object.keys(running)).toEqual(['path', 'bytes', 'instant', 'durationMs', 'pausedMs']);
  expect(running.pausedMs).toBe(0);
  expect(running.path).toMatch(/\/billing-\d{8}T\d{6}Z$/);
  const manifest = await readManifestOf(running);
  expect(manifest).toMatchObject({ format: 1, final: false, instant: running.instant });
  expect(manifest.documents).toMatchObject({ 'checkout.invoices': 1, 'customer.customers': 1 });
  expect(manifest.secrets.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['API_KEY_PEPPER', 'HOSTED_PAGE_SECRET', 'DATA_KEYS']),
  );
  await expectPrivate(running.path);

  // A heartbeat may be late after the backup.
  const checks = await eventually(async () => {
    const found = await examine(dataDir);
    expect(found.filter(({ ok, name }) => !ok && name !== 'disk')).toEqual([]);
    expect(found[0]).toEqual({ name: 'replicas', ok: true, text: `8 of ${productVersion}` });
    return found;
  });
  expect(checks).toContainEqual({ name: 'last backup', ok: true, text: running.instant });

  await expect(backUp({ to: backups, final: true, dataDir })).rejects.toMatchObject({
    exitStatus: 75,
    message: 'The system on this data folder is running',
  });
  const second = await createInvoice(source, liveKey);
  const before = await listInvoices(source, liveKey);
  expect(before).toHaveLength(2);
  await stopAll(source);

  await expect(examine(dataDir)).rejects.toMatchObject({
    exitStatus: 75,
    message: 'The system on this data folder is not running',
  });
  const moved = await backUp({ to: backups, final: true, dataDir });
  expect(await readManifestOf(moved)).toMatchObject({
    final: true,
    instant: moved.instant,
    documents: { 'checkout.invoices': 2 },
  });
  await expectMoved(moved);
  await expectDamagedRefused(moved);

  const target = join(folder, 'target');
  await restore({ from: moved.path, dataDir: target });
  const restored = await startAll(target, folder);
  try {
    expect(await listInvoices(restored, liveKey)).toEqual(before);
    const third = await createInvoice(restored, liveKey);
    expect(numberOf(third)).toBe(numberOf(second) + 1);
    await expect(restore({ from: moved.path, dataDir: target })).rejects.toMatchObject({
      exitStatus: 75,
      message: 'The system on this data folder is running',
    });
  } finally {
    await stopAll(restored);
  }
  await expect(restore({ from: moved.path, dataDir: target })).rejects.toMatchObject({
    exitStatus: 78,
    message: '--data must be empty',
  });
});

const numberOf = ({ number }: { number: string }) => Number(/\d+$/.exec(number)?.[0]);

/** Only the owner may read a backup, and nothing else is left in its folder. */
async function expectPrivate(path: string): Promise<void> {
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
  const { files, folders } = await pathsBelow(path);
  expect(await modeOf(path)).toBe('700');
  expect(new Set(await Promise.all(folders.map((one) => modeOf(join(path, one)))))).toEqual(
    new Set(['700']),
  );
  expect(new Set(await Promise.all(files.map((one) => modeOf(join(path, one)))))).toEqual(
    new Set(['600']),
  );
  expect(files).toEqual(expect.arrayContaining(['manifest.json', 'secrets.json']));
  expect(await readdir(backups)).toEqual([path.slice(backups.length + 1)]);
}

/** The moved system refuses a start until that is undone. */
async function expectMoved({ instant }: BackupResult): Promise<void> {
  const infrastructure = await startServers(dataDir);
  try {
    await expect(startOn(infrastructure, folder)).rejects.toMatchObject({
      exitStatus: 78,
      message: `This data was moved by the final backup of ${instant}; start with --undo-final to use it again`,
    });
    await openMovedData(infrastructure.mongodbUri, { databasePrefix: 'billing', services: {} });
    const client = await MongoClient.connect(infrastructure.mongodbUri);
    expect(await new SystemStore(client.db('billing_catalog')).read()).toEqual({
      _id: 'system',
      state: 'OPEN',
    });
    await client.close();
  } finally {
    await infrastructure.stop();
  }
}

async function expectDamagedRefused({ path }: BackupResult): Promise<void> {
  const damaged = join(folder, 'damaged');
  await cp(path, damaged, { recursive: true });
  await appendFile(join(damaged, 'databases/postgres/PG_VERSION'), ' ');
  const into = join(folder, 'of-damaged');
  await expect(restore({ from: damaged, dataDir: into })).rejects.toMatchObject({
    exitStatus: 65,
    message: 'Backup is damaged: databases/postgres/PG_VERSION',
  });
  expect(await readdir(folder)).not.toContain('of-damaged');
}
