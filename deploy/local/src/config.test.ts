import { readLauncherEnvironment } from './config';

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

test('former values of secrets are read, empty values are ignored', () => {
  const given = { API_KEY_PEPPER_OLD: 'old', HOSTED_PAGE_SECRET_OLD: '', HOSTED_PAGE_SECRET: 'x' };
  expect(readLauncherEnvironment(given, false).oldSecrets).toEqual({ API_KEY_PEPPER_OLD: 'old' });
});

test('retention settings are read', () => {
  const retention = { RETENTION_REQUESTS: '30', AUDIT_LOG: 'stdout' };
  expect(readLauncherEnvironment({ ...retention, OTHER: 'x' }, false).retention).toEqual(retention);
});

test('replicas and size of the stream are read', () => {
  const given = { STREAM_REPLICAS: '3', STREAM_MAX_BYTES: '5000000' };
  const read = { streamReplicas: '3', streamMaxBytes: '5000000' };
  expect(readLauncherEnvironment(given, false)).toMatchObject(read);
});

test('an empty address counts as not set', () => {
  expect(readLauncherEnvironment({ MONGODB_URI: ' ', NATS_URL: '' }, false)).toMatchObject({
    mongodbUri: undefined,
    natsUrl: undefined,
  });
});
