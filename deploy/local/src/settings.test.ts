import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@billing/chassis/configuration';
import { readLauncherEnvironment } from './environment/launcher-environment';
import { parseFlags } from './flags';
import { readSettings } from './settings';
import { serviceEnvironment, type SystemSite } from './system/service-environment';
import { variablesOf } from './system/service-settings';
import { serviceNames } from './system/services';

function read(variables: NodeJS.ProcessEnv, ...flags: string[]) {
  return readSettings(parseFlags(flags), readLauncherEnvironment(variables, false), '/r/.data');
}

/** Lines of the refusal, below its heading. */
function refusal(variables: NodeJS.ProcessEnv, ...flags: string[]): string[] {
  try {
    read(variables, ...flags);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [heading, ...lines] = error.message.split('\n');
    expect(heading).toBe('Invalid configuration:');
    return lines;
  }
  return [];
}

test('without settings the system is on 127.0.0.1:3000, and its data in the default folder', () => {
  expect(read({ PATH: '/bin', BILLING_URL: '' })).toEqual({
    host: '127.0.0.1',
    port: 3000,
    publicUrl: undefined,
    dataDir: '/r/.data',
    archiveDir: undefined,
    databasePrefix: 'billing',
    streamName: 'BILLING',
    services: {},
  });
});

const given = {
  BILLING_URL: 'https://pay.example.com/',
  BILLING_LISTEN: '0.0.0.0:8080',
  BILLING_DATA: '/data',
  BILLING_ARCHIVE: '/wal',
  DATABASE_PREFIX: 'shop_1',
  STREAM_NAME: 'SHOP-1',
};

test('variables are obeyed', () => {
  expect(read(given)).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    publicUrl: 'https://pay.example.com',
    dataDir: '/data',
    archiveDir: '/wal',
    databasePrefix: 'shop_1',
    streamName: 'SHOP-1',
  });
});

test('a flag wins over its variable', () => {
  const flags = ['--url=http://localhost:80', '--port=1', '--data=/other', '--archive=/w'];
  expect(read(given, ...flags)).toMatchObject({
    host: '127.0.0.1',
    port: 1,
    publicUrl: 'http://localhost:80',
    dataDir: '/other',
    archiveDir: '/w',
  });
});

const wrongUrl = '  BILLING_URL: must be an https:// address, or http:// on loopback';

test.each([
  'http://pay.example.com',
  'ftp://127.0.0.1',
  'pay.example.com',
  'https://',
  'https://pay.example.com/billing',
  'https://pay.example.com?a=b',
  'https://user@pay.example.com',
  'http://127.0.0.1.example.com',
  'https://pay.example.com:99999',
])('the public URL %s is refused, as flag and as variable', (url) => {
  expect(refusal({ BILLING_URL: url })).toEqual([wrongUrl]);
  expect(refusal({}, '--url', url)).toEqual([wrongUrl]);
});

test.each(['https://x', 'https://x:8443', 'http://127.8.9.1:1', 'http://[::1]:3000'])(
  'the public URL %s is obeyed',
  (url) => {
    expect(read({ BILLING_URL: url }).publicUrl).toBe(url);
  },
);

test.each([
  ['HOSTED_PAGE_URL', 'https://a', 'is decided by npm start; use --url'],
  ['HOSTED_PAGE_URL_FILE', '/a', 'is decided by npm start; use --url'],
  ['HTTP_LISTEN', '0.0.0.0:80', 'is decided by npm start; use --listen'],
  ['GRPC_LISTEN', '0.0.0.0:80', 'is decided by npm start'],
  ['CATALOG_ADDRESS', 'catalog:80', 'is decided by npm start'],
  ['MONGODB_DATABASE', 'mine', 'is decided by npm start; use DATABASE_PREFIX'],
  ['LOG_FILE', '/log', 'is decided by npm start; use --data'],
  ['SECRETS_FOLDER', '/secrets', 'is decided by npm start; use a *_FILE variable for each secret'],
  ['BILLING_ULR', 'https://a', 'unknown setting'],
  ['BILLING_LISTEN', '80', 'must be host:port or [v6]:port'],
  ['BILLING_LISTEN', '127.0.0.1', 'must be host:port or [v6]:port'],
  ['DATABASE_PREFIX', 'Shop', 'must be 1 to 40 of a-z, 0-9 and _'],
  ['STREAM_NAME', 'a.b', 'must be letters, digits, - and _'],
  ['LOG_LEVEL', 'loud', 'expected one of "trace"'],
  ['API_KEY_PEPPER', 'short', 'must have at least 32 characters'],
  ['RATE_LIMIT_BURST', 'many', 'must be a whole number'],
  ['MONGODB_URI', 'localhost', 'must be a mongodb:// address'],
])('%s=%s is refused: %s', (variable, value, problem) => {
  const lines = refusal({ [variable]: value });
  expect(lines).toEqual([expect.stringContaining(`  ${variable}: `)]);
  expect(lines[0]).toContain(problem);
});

test('an archive of a MongoDB is refused', () => {
  expect(refusal({ MONGODB_URI: 'mongodb://a' }, '--archive=/wal')).toEqual([
    '  BILLING_ARCHIVE: needs the PostgreSQL of npm start',
  ]);
});

test('all refused settings are in one message', () => {
  const wrong = { BILLING_URL: 'x', BILLING_ULR: 'x', HTTP_LISTEN: 'x', RETENTION_EVENTS: '1' };
  expect(refusal(wrong).map((line) => line.split(':')[0])).toEqual([
    '  BILLING_URL',
    '  BILLING_ULR',
    '  HTTP_LISTEN',
    '  RETENTION_EVENTS',
  ]);
});

/** Every variable of every service. */
const variables = [...new Set(serviceNames.flatMap(variablesOf))].sort();

test.each(variables)('%s is obeyed or refused, and so is its file', (variable) => {
  const file = `${variable}_FILE`;
  const folder = mkdtempSync(join(tmpdir(), 'billing-settings-'));
  const path = join(folder, 'value');
  writeFileSync(path, '1');
  for (const [name, value] of [
    [variable, '1'],
    [file, path],
  ] as const) {
    if (!isRefusedOrValid(name, value)) throw new Error(`${name} is ignored`);
  }
  rmSync(folder, { recursive: true });
});

/** False for a setting that reaches neither a service nor the message of a refusal. */
function isRefusedOrValid(name: string, value: string): boolean {
  const environment = { [name]: value };
  if (refusal(environment).length > 0) return true;
  const { services, streamName } = read(environment);
  const site: SystemSite = {
    mongodbUri: 'mongodb://a',
    natsUrl: readLauncherEnvironment(environment).natsUrl ?? 'nats://a',
    databasePrefix: 'billing',
    streamName,
    runDir: '/run',
    port: 1,
    secrets: { apiKeyPepper: '', hostedPageSecret: '', portalSecret: '', dataKeys: '' },
    settings: services,
  };
  return serviceNames.some((service) => {
    const values = serviceEnvironment(service, site);
    return values[name] === value || values[name.replace(/_FILE$/, '')] === '1';
  });
}
