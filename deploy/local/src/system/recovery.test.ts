import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { readLauncherEnvironment } from '../environment/launcher-environment';
import { readSettings } from '../settings';
import { reconcileEnvironment, runOnceTrue } from './recovery';

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

test('work is done once after its condition is true, with another attempt after a failure', async () => {
  const lines: string[] = [];
  const done: string[] = [];
  let isOpen = false;
  let failures = 1;
  const watch = runOnceTrue(
    () => Promise.resolve(isOpen),
    async () => {
      done.push('announced');
      if (failures-- > 0) return Promise.reject(new Error('closed'));
    },
    { everyMs: 5, log: (line) => void lines.push(line) },
  );
  await delay(50);
  expect(done).toEqual([]);
  isOpen = true;
  await eventually(() => {
    expect(done).toHaveLength(2);
  });
  await delay(50);
  expect([done.length, lines]).toEqual([2, ['The system is not announced yet: closed']]);
  await watch.stop();
});

test('work whose condition is never true ends with the launcher', async () => {
  const watch = runOnceTrue(
    () => Promise.resolve(false),
    () => Promise.resolve(),
    {
      everyMs: 60_000,
      log: () => undefined,
    },
  );
  await watch.stop();
});
