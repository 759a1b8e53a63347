import { readConfig } from './config';

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

test('limits have defaults, and no proxy is believed', () => {
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
    HSTS_MAX_AGE_SECONDS: 0,
    DRAIN_DELAY_MS: 0,
  });
});

test('proxies are a list of addresses and ranges', () => {
  const { TRUSTED_PROXIES } = readConfig({
    ...required,
    TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::1',
  });
  expect(TRUSTED_PROXIES).toEqual(['loopback', '10.0.0.0/8', '2001:db8::1']);
});

test('all that is wrong is said at once', () => {
  const wrong = {
    ...required,
    RATE_LIMIT_PER_SECOND: '1.5',
    RATE_LIMIT_BURST: '0',
    HTTP_IN_FLIGHT_MAX: '0',
    HSTS_MAX_AGE_SECONDS: 'a year',
    TRUSTED_PROXIES: '10.0.0.0/8,everyone',
  };
  expect(() => readConfig(wrong)).toThrow(
    /RATE_LIMIT_PER_SECOND: must be a whole number\n.*RATE_LIMIT_BURST: must be at least 1\n.*HTTP_IN_FLIGHT_MAX: must be at least 1\n.*HSTS_MAX_AGE_SECONDS: must be a whole number of seconds\n.*TRUSTED_PROXIES: must be addresses/,
  );
});
