import { serviceEnvironment, type SystemSite } from './service-environment';
import { serviceNames } from './services';
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
  retention: {
    AUDIT_LOG: 'log of audit entries',
    RETENTION_SESSIONS: 'days of sessions',
    RETENTION_USAGE_MONTHS: 'months of usage',
  },
  stripe: { STRIPE_SECRET_KEY: 'key of Stripe' },
  identityProvider: { OIDC_CLIENT_SECRET: 'key of the provider' },
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

test.each([
  ['STREAM_REPLICAS', { streamReplicas: '3' }],
  ['STREAM_MAX_BYTES', { streamMaxBytes: '3' }],
  ['RETENTION_EVENTS', { retention: { RETENTION_EVENTS: '3' } }],
])('every service except the gateway gets %s', (variable, given) => {
  for (const service of serviceNames) {
    const environment = serviceEnvironment(service, { ...site, ...given });
    expect(environment[variable]).toBe(service === 'gateway' ? undefined : '3');
    expect(serviceEnvironment(service, site)).not.toHaveProperty(variable);
  }
});

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
  ['key of the provider', 'gateway'],
])('the %s reaches the one service that needs it', (value, service) => {
  const holders = serviceNames.filter((name) =>
    Object.values(serviceEnvironment(name, site)).includes(value),
  );
  expect(holders).toEqual([service]);
});

test('the former value of a secret reaches the services that still verify with it', () => {
  const oldSecrets = { API_KEY_PEPPER_OLD: 'old pepper', HOSTED_PAGE_SECRET_OLD_FILE: '/old' };
  const holders = (name: string) =>
    serviceNames.filter((service) => name in serviceEnvironment(service, { ...site, oldSecrets }));
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

test('a setting that is not set keeps the default of the service', () => {
  const environment = serviceEnvironment('catalog', { ...site, logDir: undefined });
  expect(environment).not.toHaveProperty('LOG_FILE');
  expect(environment).not.toHaveProperty('LOG_LEVEL');
  expect(environment).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT');
  expect(environment).not.toHaveProperty('SERVICE_VERSION');
});

test('every service gets the displayed version', () => {
  for (const service of ['gateway', 'catalog'] as const) {
    expect(serviceEnvironment(service, { ...site, version: '1.2.3' }).SERVICE_VERSION).toBe(
      '1.2.3',
    );
  }
});

test('socket paths in a folder with the longest name are short enough', () => {
  const runDir = `/${'x'.repeat(49)}/billing-AbCdEf`;
  for (const service of backends) {
    const path = serviceEnvironment(service, { ...site, runDir }).GRPC_LISTEN?.slice(5) ?? '';
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
  }
});
