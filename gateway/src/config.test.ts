import { hstsMaxAgeSeconds, providerSettings, readConfig, traceTrusted } from './config';

const required = {
  HTTP_LISTEN: '127.0.0.1:0',
  HOSTED_PAGE_URL: 'https://pay.example',
  IDENTITY_ADDRESS: 'unix:/i',
  CATALOG_ADDRESS: 'unix:/c',
  CUSTOMER_ADDRESS: 'unix:/u',
  DISCOUNT_ADDRESS: 'unix:/d',
  METERING_ADDRESS: 'unix:/m',
  CHECKOUT_ADDRESS: 'unix:/k',
  SUBSCRIPTION_ADDRESS: 'unix:/s',
  NOTIFIER_ADDRESS: 'unix:/n',
};

test('limits have defaults, and no proxy is trusted', () => {
  expect(readConfig(required)).toMatchObject({
    RATE_LIMIT_PER_SECOND: 100,
    RATE_LIMIT_BURST: 200,
    RATE_LIMIT_REFUSED_KEYS_PER_SECOND: 100,
    RATE_LIMIT_PAGES_PER_SECOND: 100,
    RATE_LIMIT_LINK_ORDERS_PER_MINUTE: 10,
    TRUSTED_PROXIES: [],
    HTTP_HEADERS_TIMEOUT_MS: 10_000,
    HTTP_REQUEST_TIMEOUT_MS: 30_000,
    HTTP_CONNECTIONS_MAX: 10_000,
    HTTP_IN_FLIGHT_MAX: 1_000,
    HTTP_IN_FLIGHT_PER_KEY_MAX: 300,
    HTTP_IN_FLIGHT_PER_ORGANIZATION_MAX: 500,
    HTTP_IDLE_CONNECTIONS_PER_NETWORK_MAX: 1_000,
    DRAIN_DELAY_MS: 0,
  });
});

test.each([
  ['https://pay.example', undefined, 31_536_000],
  ['https://pay.example', '0', 0],
  ['https://pay.example', '60', 60],
  ['http://127.0.0.1:3000', undefined, 0],
  ['http://127.0.0.1:3000', '60', 60],
])('browsers that reach %s, with the setting %s, require TLS for %d s', (url, setting, age) => {
  const given = { ...required, HOSTED_PAGE_URL: url, HSTS_MAX_AGE_SECONDS: setting };
  expect(hstsMaxAgeSeconds(readConfig(given))).toBe(age);
});

test('a burst of 0 is accepted and disables the limit', () => {
  expect(readConfig({ ...required, RATE_LIMIT_BURST: '0' }).RATE_LIMIT_BURST).toBe(0);
});

test('proxies are given as a list of addresses and ranges', () => {
  const { TRUSTED_PROXIES } = readConfig({
    ...required,
    TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::1',
  });
  expect(TRUSTED_PROXIES).toEqual(['loopback', '10.0.0.0/8', '2001:db8::1']);
});

test.each([
  [{}, ['loopback']],
  [{ TRUSTED_PROXIES: '10.0.0.0/8' }, []],
  [{ TRACE_TRUSTED: '192.0.2.0/24, ::1' }, ['192.0.2.0/24', '::1']],
  [{ TRUSTED_PROXIES: 'loopback', TRACE_TRUSTED: '192.0.2.1' }, ['192.0.2.1']],
  [{ TRACE_TRUSTED: 'none' }, []],
])('with %j the traces of clients in %j are continued', (given, expected) => {
  expect(traceTrusted(readConfig({ ...required, ...given }))).toEqual(expected);
});

test('all problems are reported together', () => {
  const wrong = {
    ...required,
    RATE_LIMIT_PER_SECOND: '1.5',
    RATE_LIMIT_BURST: '-1',
    HTTP_IN_FLIGHT_MAX: '0',
    HSTS_MAX_AGE_SECONDS: 'a year',
    TRUSTED_PROXIES: '10.0.0.0/8,everyone',
    TRACE_TRUSTED: 'loopback,somewhere',
  };
  expect(() => readConfig(wrong)).toThrow(
    /RATE_LIMIT_PER_SECOND: must be a whole number\n.*RATE_LIMIT_BURST: must be a whole number\n.*HTTP_IN_FLIGHT_MAX: must be at least 1\n.*HSTS_MAX_AGE_SECONDS: must be a whole number of seconds\n.*TRUSTED_PROXIES: must be addresses.*\n.*TRACE_TRUSTED: must be addresses/,
  );
});

describe('the identity provider', () => {
  const provider = {
    OIDC_ISSUER: 'https://id.example/tenant',
    OIDC_CLIENT_ID: 'billing',
    OIDC_CLIENT_SECRET: 'a secret of the provider',
    OIDC_LABEL: 'Example ID',
  };

  test('the identity provider needs all of its settings or none', () => {
    expect(providerSettings(readConfig(required))).toBeUndefined();
    expect(providerSettings(readConfig({ ...required, ...provider }))).toEqual({
      issuer: 'https://id.example/tenant',
      clientId: 'billing',
      clientSecret: 'a secret of the provider',
      label: 'Example ID',
    });
    for (const name of Object.keys(provider)) {
      const some = { ...required, ...provider, [name]: '' };
      expect(() => readConfig(some)).toThrow(`${name}: is required where another OIDC_* is set`);
    }
  });

  test.each(['http://127.0.0.1:4000', 'http://localhost', 'http://[::1]:4000/tenant'])(
    'may be without TLS on loopback: %s',
    (issuer) => {
      expect(() => readConfig({ ...required, ...provider, OIDC_ISSUER: issuer })).not.toThrow();
    },
  );

  test.each(['http://id.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil', 'id'])(
    'is refused over plain HTTP: %s',
    (issuer) => {
      const wrong = { ...required, ...provider, OIDC_ISSUER: issuer };
      expect(() => readConfig(wrong)).toThrow('OIDC_ISSUER: must be an https:// address');
    },
  );

  test('an invalid configuration does not reveal the client secret', () => {
    const wrong = { ...required, ...provider, OIDC_CLIENT_SECRET: 'too short' };
    expect(() => readConfig(wrong)).toThrow('OIDC_CLIENT_SECRET: must have at least 16 characters');
    expect(() => readConfig(wrong)).not.toThrow(/too short/);
  });
});

test.each([
  ['https://traces.example/trace/{traceId}?view=all', true],
  ['https://traces.example/trace/', false],
  ['javascript:alert({traceId})', false],
])('the URL of the trace viewer must contain {traceId}: %s is valid: %s', (url, isTaken) => {
  const read = () => readConfig({ ...required, TRACE_URL: url }).TRACE_URL;
  if (isTaken) expect(read()).toBe(url);
  else expect(read).toThrow('TRACE_URL: ');
});
