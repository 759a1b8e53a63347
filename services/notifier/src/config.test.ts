import { readConfig } from './config';

const env = {
  MONGODB_URI: 'mongodb://localhost',
  MONGODB_DATABASE: 'notifier',
  NATS_URL: 'localhost:4222',
  GRPC_LISTEN: 'localhost:0',
  SUBSCRIPTION_ADDRESS: 'dns:///subscription:50051',
  CHECKOUT_ADDRESS: 'dns:///checkout:50051',
  CATALOG_ADDRESS: 'dns:///catalog:50051',
  CUSTOMER_ADDRESS: 'dns:///customer:50051',
  DISCOUNT_ADDRESS: 'dns:///discount:50051',
  METERING_ADDRESS: 'dns:///metering:50051',
  DATA_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
};

describe("the notifier's configuration", () => {
  test('refuses loopback addresses by default', () => {
    expect(readConfig(env).ALLOW_LOOPBACK_IN_SANDBOXES).toBe(false);
    const allowed = readConfig({ ...env, ALLOW_LOOPBACK_IN_SANDBOXES: 'true' });
    expect(allowed.ALLOW_LOOPBACK_IN_SANDBOXES).toBe(true);
  });

  test('sends webhooks through a proxy if one is named', () => {
    expect(readConfig(env).WEBHOOK_PROXY).toBeUndefined();
    const proxied = readConfig({ ...env, WEBHOOK_PROXY: 'http://proxy:3128' });
    expect(proxied.WEBHOOK_PROXY?.host).toBe('proxy:3128');
    expect(() => readConfig({ ...env, WEBHOOK_PROXY: 'socks5://proxy' })).toThrow(
      /WEBHOOK_PROXY: must be an http:\/\/ address/,
    );
  });

  test('has a delivery lease of half a minute by default', () => {
    expect(readConfig(env).DELIVERY_LEASE_MS).toBe(30_000);
    expect(readConfig({ ...env, DELIVERY_LEASE_MS: '5000' }).DELIVERY_LEASE_MS).toBe(5_000);
    expect(() => readConfig({ ...env, DELIVERY_LEASE_MS: '5' })).toThrow(/DELIVERY_LEASE_MS: must/);
  });

  test('reports every missing or invalid variable', () => {
    const wrong = {
      ...env,
      SUBSCRIPTION_ADDRESS: undefined,
      DATA_KEYS: '1:short',
      ALLOW_LOOPBACK_IN_SANDBOXES: 'yes',
    };
    expect(() => readConfig(wrong)).toThrow(
      /SUBSCRIPTION_ADDRESS: is required[^]*DATA_KEYS: must be id:base64[^]*ALLOW_LOOPBACK/,
    );
  });
});
