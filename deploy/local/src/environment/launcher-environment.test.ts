import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from './launcher-environment';

test('the cache of root is readable by the user of the databases', () => {
  expect(readLauncherEnvironment({}, true).cacheDir).toBe('/var/cache/billing');
});

test.each([
  [{ BILLING_CACHE_DIR: '/chosen', XDG_CACHE_HOME: '/xdg' }, '/chosen'],
  [{ BILLING_CACHE_DIR: '', XDG_CACHE_HOME: '/xdg' }, '/xdg/billing'],
  [{}, expect.stringMatching(/\/\.cache\/billing$/)],
])('with %j a user keeps the cache in %s', (environment, cacheDir) => {
  expect(readLauncherEnvironment(environment, false).cacheDir).toEqual(cacheDir);
});

test('an empty address counts as not set', () => {
  expect(readLauncherEnvironment({ MONGODB_URI: ' ', NATS_URL: '' }, false)).toMatchObject({
    mongodbUri: undefined,
    natsUrl: undefined,
  });
});

test('the address of the database, which may have a password, is read from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'billing-config-'));
  const file = join(folder, 'uri');
  writeFileSync(file, 'mongodb://user:password@database\n');
  const { mongodbUri } = readLauncherEnvironment({ MONGODB_URI_FILE: file }, false);
  rmSync(folder, { recursive: true });
  expect(mongodbUri).toBe('mongodb://user:password@database');
});
