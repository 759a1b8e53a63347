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

  test('sends mails through a server only with a sender, and without TLS on this machine only', () => {
    expect(readConfig(env).SMTP_URL).toBeUndefined();
    const server = { ...env, SMTP_URL: 'smtps://me:pw@mail.example', MAIL_FROM: 'a@acme.example' };
    expect(readConfig(server)).toMatchObject({
      SMTP_URL: { host: 'mail.example', port: 465 },
      SMTP_TLS: 'require',
      SMTP_CONNECTIONS_MAX: 5,
      SMTP_PER_SECOND_MAX: 0,
    });
    const refused = (changes: Record<string, string | undefined>) => () =>
      readConfig({ ...server, ...changes });
    expect(refused({ MAIL_FROM: undefined })).toThrow(/MAIL_FROM: is required with SMTP_URL/);
    expect(refused({ MAIL_FROM: 'Acme' })).toThrow(/MAIL_FROM: must be an email address/);
    expect(refused({ SMTP_URL: 'mail.example' })).toThrow(/SMTP_URL: must be smtp:/);
    expect(refused({ SMTP_URL: 'smtp://me:10%@x' })).toThrow(/SMTP_URL: .* with % written as %25/);
    expect(refused({ SMTP_URL: 'smtp://mail.example', SMTP_TLS: 'none' })).toThrow(
      /SMTP_TLS: none is allowed for a mail server on this machine only/,
    );
    const local = { SMTP_URL: 'smtp://127.0.0.1:2525', SMTP_TLS: 'none' };
    expect(refused(local)().SMTP_TLS).toBe('none');
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
