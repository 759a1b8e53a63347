import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SystemStore } from '@billing/chassis/system-store';
import { eventually } from '@billing/chassis/testing';
import { readLauncherEnvironment } from '@billing/local/config';
import { withDataServers } from '@billing/local/data-servers';
import type { Infrastructure } from '@billing/local/infrastructure';
import { databaseNames } from '@billing/local/moved-data';
import { ensureSecrets } from '@billing/local/secrets';
import { MongoClient } from 'mongodb';
import { backUp } from '../backup/backup';
import { startServers, useServersFolder } from '../testing/started-system';
import { restore } from './restore';

// A server of its own on a real disk: the launcher's PostgreSQL with its archive.
jest.setTimeout(600_000);

let folder: string;

useServersFolder((made) => {
  folder = made;
});

interface Row {
  readonly _id: number;
}

async function withRows<T>(
  { mongodbUri }: Infrastructure,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const client = await MongoClient.connect(mongodbUri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const rowsOf = (client: MongoClient) => client.db('billing_catalog').collection<Row>('rows');

const insertRow = (servers: Infrastructure, _id: number) =>
  withRows(servers, async (client) => rowsOf(client).insertOne({ _id }));

const idsIn = (servers: Infrastructure): Promise<number[]> =>
  withRows(servers, async (client) =>
    (await rowsOf(client).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id),
  );

/** Opens a restored system: its services do not run here. */
async function openAll(servers: Infrastructure): Promise<void> {
  await withRows(servers, async (client) => {
    for (const name of databaseNames('billing').values()) {
      await new SystemStore(client.db(name)).open();
    }
  });
}

/** Restores without an instant; `BILLING_ARCHIVE` has the archive, if any. */
async function restoreBackup(from: string, dataDir: string, archiveDir?: string): Promise<void> {
  if (archiveDir !== undefined) process.env.BILLING_ARCHIVE = archiveDir;
  try {
    await restore({ from, dataDir });
  } finally {
    delete process.env.BILLING_ARCHIVE;
  }
}

test('a backup is brought to an instant between two writes by the archive', async () => {
  const dataDir = join(folder, 'source');
  const archiveDir = join(folder, 'archive');
  const source = await startServers(dataDir, archiveDir);
  await ensureSecrets(source.dataFolder.path, { hasData: false });
  const insert = (_id: number) =>
    withRows(source, async (client) => rowsOf(client).insertOne({ _id }));
  await insert(1);
  const backup = await backUp({ to: join(folder, 'backups'), final: false, dataDir });
  await insert(2);
  // The instant is neither that of the write before it nor that of the write after it.
  await delay(10);
  const at = new Date();
  await delay(10);
  await insert(3);
  // The end of the log is archived when the server stops.
  await source.stop();

  const from = { from: backup.path };
  const target = join(folder, 'target');
  const beyond = { archiveDir, at: new Date(Date.now() + 3_600_000) };
  const refused = restore({ ...from, dataDir: target, point: beyond });
  await expect(refused).rejects.toMatchObject({
    exitStatus: 78,
    message: expect.stringMatching(
      new RegExp(`^Can restore from ${backup.instant} to \\d{4}-\\d\\d-\\d\\dT.*Z$`),
    ),
  });

  await restore({ ...from, dataDir: target, point: { archiveDir, at } });
  const restored = await startServers(target);
  try {
    await withRows(restored, async (client) => {
      expect(
        (await rowsOf(client).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id),
      ).toEqual([1, 2]);
      const system = await client.db('billing_catalog').collection<any>('system').findOne();
      expect(system).toMatchObject({ state: 'RECOVERING', restore: { instant: at } });
      await rowsOf(client).insertOne({ _id: 4 });
    });
  } finally {
    await restored.stop();
  }
});

test('the archive continues after each restore of one backup, also to its own instant', async () => {
  const archiveDir = join(folder, 'continued-archive');
  const backUpTo = (dataDir: string) =>
    backUp({ to: join(folder, 'continued-backups'), final: false, dataDir });
  const sourceDir = join(folder, 'continued-source');
  const source = await startServers(sourceDir, archiveDir);
  await ensureSecrets(source.dataFolder.path, { hasData: false });
  await insertRow(source, 1);
  const backup = await backUpTo(sourceDir);
  // The archive gets a log that the restored systems do not have.
  await insertRow(source, 2);
  await source.stop();

  const archivesOfRestores = [undefined, undefined, archiveDir];
  let from = backup.path;
  let at = new Date();
  for (const [index, archiveOfRestore] of archivesOfRestores.entries()) {
    const targetDir = join(folder, `continued-${String(index)}`);
    await restoreBackup(backup.path, targetDir, archiveOfRestore);
    const servers = await startServers(targetDir, archiveDir);
    expect(await idsIn(servers)).toEqual([1]);
    await openAll(servers);
    from = (await backUpTo(targetDir)).path;
    await insertRow(servers, 10 + index);
    await delay(10);
    at = new Date();
    await delay(10);
    await insertRow(servers, 20 + index);
    await servers.stop();
    const { databases } = servers.dataFolder;
    const states = await readdir(join(databases, 'postgres/pg_wal/archive_status'));
    expect(states.filter((name) => name.endsWith('.ready'))).toEqual([]);
  }

  const later = join(folder, 'continued-later');
  await restore({ from, dataDir: later, point: { archiveDir, at } });
  const restored = await startServers(later);
  expect(await idsIn(restored)).toEqual([1, 12]);
  await restored.stop();
});

test('an archive that has another file of a segment is reported by the server', async () => {
  const archiveDir = join(folder, 'occupied-archive');
  const dataDir = join(folder, 'occupied');
  const servers = await startServers(dataDir, archiveDir);
  const options = {
    environment: readLauncherEnvironment(),
    data: servers.dataFolder,
    onlyRunning: true,
    log: () => undefined,
  };
  const read = () => withDataServers(options, async ({ readArchiver }) => readArchiver?.());
  try {
    expect(await read()).toMatchObject({ failed: undefined });
    const archived = new Set(await readdir(archiveDir));
    for (let number = 1; number <= 9; number += 1) {
      const name = `00000001000000000000000${String(number)}`;
      if (!archived.has(name)) await writeFile(join(archiveDir, name), 'of another system');
    }
    // A copy ends the current segment.
    await backUp({ to: join(folder, 'occupied-backups'), final: false, dataDir });
    await eventually(async () => {
      const { failed, waiting = 0 } = (await read()) ?? {};
      expect([failed, waiting > 0]).toEqual([expect.stringMatching(/^0000000100000000/), true]);
    });
  } finally {
    await servers.stop();
  }
});
