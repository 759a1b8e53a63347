import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Infrastructure } from '@billing/local/infrastructure';
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
