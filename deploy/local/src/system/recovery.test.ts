import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from '../environment/launcher-environment';
import { readSettings } from '../settings';
import { reconcileEnvironment } from './recovery';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-recovery-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('the settings of a start whose server and prefix are in files are those of reconcile, too', async () => {
  const [uri, prefix] = [join(folder, 'uri'), join(folder, 'prefix')];
  await writeFile(uri, 'mongodb://database/');
  await writeFile(prefix, 'shop');
  const given = { MONGODB_URI_FILE: uri, DATABASE_PREFIX_FILE: prefix, BILLING_ARCHIVE: '/wal' };
  const { mongodbUri = '', databasePrefix } = readLauncherEnvironment(given);
  const environment = readLauncherEnvironment(
    reconcileEnvironment(given, { mongodbUri, databasePrefix }),
  );
  const flags = { url: undefined, listen: undefined, dataDir: undefined, archiveDir: undefined };
  expect(readSettings(flags, environment, '/data')).toMatchObject({ databasePrefix: 'shop' });
  expect(environment.mongodbUri).toBe('mongodb://database/');
});
