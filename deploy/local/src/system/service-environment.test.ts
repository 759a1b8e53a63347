import { serviceEnvironment, type SystemSite } from './service-environment';
import { type ServiceName, serviceNames } from './services';
import { SOCKET_PATH_BYTES_MAX } from '../files/socket-folder';

const site: SystemSite = {
  mongodbUri: 'mongodb://database',
  natsUrl: 'nats://stream',
  databasePrefix: 'billing',
  streamName: 'BILLING',
  runDir: '/tmp/billing-AbCdEf',
  port: 3000,
  secrets: {
    apiKeyPepper: 'pepper',
    hostedPageSecret: 'page secret',
    portalSecret: 'portal secret',
    dataKeys: 'data keys',
  },
  logDir: '/data/logs',
  settings: {
    AUDIT_LOG: 'log of audit entries',
    RETENTION_SESSIONS: 'days of sessions',
    RETENTION_USAGE_MONTHS: 'months of usage',
    STRIPE_SECRET_KEY: 'key of Stripe',
    OIDC_CLIENT_SECRET_FILE: 'file of the provider',
  },
};
const backends = serviceNames.filter((name) => name !== 'gateway');

test.each(backends)('the service %s has a database and a socket of its own', (service) => {
  expect(serviceEnvironment(service, site)).toMatchObject({
    MONGODB_URI: 'mongodb://database',
    MONGODB_DATABASE: `billing_${service}`,
    NATS_URL: 'nats://stream',
    STREAM_NAME: 'BILLING',
    GRPC_LISTEN: `unix:/tmp/billing-AbCdEf/${service}.sock`,
    LOG_FILE: `/data/logs/${service}.log`,
  });
});

test.each(['STREAM_REPLICAS', 'STREAM_MAX_BYTES', 'RETENTION_EVENTS', 'DISK_RESERVE_MB'])(
  'every service except the gateway gets %s',
  (variable) => {
    for (const service of serviceNames) {
      const environment = serviceEnvironment(service, { ...site, settings: { [variable]: '3' } });
      expect(environment[variable]).toBe(service === 'gateway' ? undefined : '3');
      expect(serviceEnvironment(service, site)).not.toHaveProperty(variable);
    }
  },
);

test('the gateway gets no database and no stream', () => {
  const environment = serviceEnvironment('gateway', site);
  expect(environment).toMatchObject({ HTTP_LISTEN: '127.0.0.1:3000' });
  for (const name of ['MONGODB_URI', 'MONGODB_DATABASE', 'NATS_URL', 'GRPC_LISTEN']) {
    expect(environment).not.toHaveProperty(name);
  }
});

test.each(serviceNames)(
  'the service %s gets the address at which each service listens',
  (service) => {
    const environment = serviceEnvironment(service, site);
    for (const peer of backends) {
      expect(environment[`${peer.toUpperCase()}_ADDRESS`]).toBe(
        serviceEnvironment(peer, site).GRPC_LISTEN,
      );
    }
  },
);

test.each([
  ['pepper', 'identity'],
  ['page secret', 'checkout'],
  ['portal secret', 'customer'],
  ['log of audit entries', 'identity'],
  ['days of sessions', 'checkout'],
  ['months of usage', 'metering'],
  ['key of Stripe', 'checkout'],
  ['file of the provider', 'gateway'],
])('the %s reaches the one service that needs it', (value, service) => {
  const holders = serviceNames.filter((name) =>
    Object.values(serviceEnvironment(name, site)).includes(value),
  );
  expect(holders).toEqual([service]);
});

test('the keys of stored secrets reach the services that seal', () => {
  const holders = serviceNames.filter((name) =>
    Object.values(serviceEnvironment(name, site)).includes('data keys'),
  );
  expect(holders.toSorted()).toEqual(['gateway', 'identity', 'notifier']);
});

test('the former value of a secret reaches the services that still verify with it', () => {
  const settings = { API_KEY_PEPPER_OLD: 'old pepper', HOSTED_PAGE_SECRET_OLD_FILE: '/old' };
  const holders = (name: string) =>
    serviceNames.filter((service) => name in serviceEnvironment(service, { ...site, settings }));
  expect(holders('API_KEY_PEPPER_OLD')).toEqual(['identity']);
  expect(holders('HOSTED_PAGE_SECRET_OLD_FILE').toSorted()).toEqual(['checkout', 'customer']);
  expect(holders('HOSTED_PAGE_SECRET_OLD')).toEqual([]);
});

test.each(['checkout', 'customer'] as const)(
  'pages of %s are where the gateway listens',
  (service) => {
    expect(serviceEnvironment(service, site)).toMatchObject({
      HOSTED_PAGE_URL: 'http://127.0.0.1:3000',
    });
  },
);

test('a public URL with TLS starts every address, and keeps sandboxes off loopback', () => {
  const publicUrl = 'https://pay.example.com';
  const urlOf = (service: ServiceName) =>
    serviceEnvironment(service, { ...site, publicUrl }).HOSTED_PAGE_URL;
  expect((['gateway', 'checkout', 'customer'] as const).map(urlOf)).toEqual(
    Array.from({ length: 3 }, () => publicUrl),
  );
  const allowed = (given: Partial<SystemSite>) =>
    serviceEnvironment('notifier', { ...site, ...given }).ALLOW_LOOPBACK_IN_SANDBOXES;
  expect(allowed({})).toBe('true');
  expect(allowed({ publicUrl })).toBeUndefined();
  expect(allowed({ publicUrl, settings: { ALLOW_LOOPBACK_IN_SANDBOXES: 'true' } })).toBe('true');
});

test.each([
  [undefined, '127.0.0.1:3000'],
  ['0.0.0.0', '0.0.0.0:3000'],
  ['::1', '[::1]:3000'],
])('with host %s the gateway listens on %s', (host, HTTP_LISTEN) => {
  expect(serviceEnvironment('gateway', { ...site, host })).toMatchObject({ HTTP_LISTEN });
});

test('a secret of the environment replaces the stored one, from a file, too', () => {
  const given = { API_KEY_PEPPER: 'given pepper', DATA_KEYS_FILE: '/keys' };
  const withSettings = { ...site, settings: given };
  expect(serviceEnvironment('identity', withSettings).API_KEY_PEPPER).toBe('given pepper');
  for (const service of ['notifier', 'identity', 'gateway'] as const) {
    const environment = serviceEnvironment(service, withSettings);
    expect(environment).toMatchObject({ DATA_KEYS_FILE: '/keys' });
    expect(environment).not.toHaveProperty('DATA_KEYS');
  }
});

test('one page secret that replaces the stored ones has the former one of each service', () => {
  const settings = { HOSTED_PAGE_SECRET: 'given', HOSTED_PAGE_SECRET_OLD: 'page secret' };
  const secretsOf = (service: ServiceName) => {
    const environment = serviceEnvironment(service, { ...site, settings });
    return [environment.HOSTED_PAGE_SECRET, environment.HOSTED_PAGE_SECRET_OLD];
  };
  expect(secretsOf('checkout')).toEqual(['given', 'page secret']);
  expect(secretsOf('customer')).toEqual(['given', 'portal secret']);
});

test('a setting that is not set keeps the default of the service', () => {
  const environment = serviceEnvironment('catalog', { ...site, logDir: undefined });
  expect(environment).not.toHaveProperty('LOG_FILE');
  expect(environment).not.toHaveProperty('LOG_LEVEL');
  expect(environment).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT');
  expect(environment).not.toHaveProperty('SERVICE_VERSION');
});

test('every service gets the displayed version', () => {
  for (const service of ['gateway', 'catalog'] as const) {
    const settings = { SERVICE_VERSION: '1.2.3' };
    expect(serviceEnvironment(service, { ...site, settings }).SERVICE_VERSION).toBe('1.2.3');
  }
});

test('socket paths in a folder with the longest name are short enough', () => {
  const runDir = `/${'x'.repeat(49)}/billing-AbCdEf`;
  for (const service of backends) {
    const path = serviceEnvironment(service, { ...site, runDir }).GRPC_LISTEN?.slice(5) ?? '';
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
  }
});
