import { z } from 'zod';
import type { ProviderSettings } from './access/identity-provider';
import {
  dataKeysVariable,
  hostedPageShape,
  readConfiguration,
  serviceConfigurationShape,
  transportSecurityShape,
} from '@billing/chassis/configuration';
import { isAddressOrRange } from './http/address-list';

const {
  LOG_LEVEL,
  LOG_FILE,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  TRACE_SAMPLE_RATIO,
  METRIC_EXPORT_INTERVAL_MS,
  SHUTDOWN_GRACE_MS,
  DRAIN_DELAY_MS,
  SERVICE_VERSION,
  FAILPOINTS_FOLDER,
} = serviceConfigurationShape;
const address = z.string().min(1);
const count = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number')
  .transform(Number);
const countFromOne = count.refine((number) => number > 0, 'must be at least 1');
// Plain HTTP is safe on loopback: anyone who can listen there can also read the configuration.
const issuerPattern = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])([:/]|$))/;
const yearSeconds = 31_536_000;

const addresses = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .refine((all) => all.every(isAddressOrRange), 'must be addresses or ranges such as 10.0.0.0/8');

/** OpenID Connect provider for operator sign-in: all settings or none. */
const providerShape = {
  OIDC_ISSUER: z
    .url('must be an https:// address')
    .regex(issuerPattern, 'must be an https:// address')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Display name of the provider on the sign-in button. */
  OIDC_LABEL: z.string().max(60, 'must have at most 60 characters').optional(),
};
const providerVariables = Object.keys(providerShape) as (keyof typeof providerShape)[];

const shape = z.object({
  LOG_LEVEL,
  LOG_FILE,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  TRACE_SAMPLE_RATIO,
  METRIC_EXPORT_INTERVAL_MS,
  SHUTDOWN_GRACE_MS,
  DRAIN_DELAY_MS,
  SERVICE_VERSION,
  FAILPOINTS_FOLDER,
  ...transportSecurityShape,
  /** Address of the REST server; port 0 selects a free port. */
  HTTP_LISTEN: z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port'),
  /** Public URL of the gateway, the same as in the services that create links to pages. */
  HOSTED_PAGE_URL: hostedPageShape.HOSTED_PAGE_URL,
  IDENTITY_ADDRESS: address,
  CATALOG_ADDRESS: address,
  CUSTOMER_ADDRESS: address,
  DISCOUNT_ADDRESS: address,
  CHECKOUT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
  METERING_ADDRESS: address,
  NOTIFIER_ADDRESS: address,
  /** Rate limit of requests per key and process; 0 for no limit. */
  RATE_LIMIT_PER_SECOND: count.default(100),
  RATE_LIMIT_BURST: count.default(200),
  /** Separate rate limit of usage event batches per key and process; 0 for no limit. */
  RATE_LIMIT_INGEST_PER_SECOND: count.default(50),
  /** Rate limit of requests with an invalid key per address; 0 for no limit. */
  RATE_LIMIT_REFUSED_KEYS_PER_SECOND: count.default(100),
  /** Rate limit of requests for public pages per address; 0 for no limit. */
  RATE_LIMIT_PAGES_PER_SECOND: count.default(100),
  /**
   * Rate limit of orders at checkout links per address; 0 for no separate limit. Each order may
   * reserve a discount redemption for 30 minutes.
   */
  RATE_LIMIT_LINK_ORDERS_PER_MINUTE: count.default(10),
  /** Timeout from the first byte of a request to the end of its headers; then 408. */
  HTTP_HEADERS_TIMEOUT_MS: countFromOne.default(10_000),
  /** Timeout from the first byte of a request to the end of its body; then 408. */
  HTTP_REQUEST_TIMEOUT_MS: countFromOne.default(30_000),
  /** Maximum number of connections; further ones are closed immediately. */
  HTTP_CONNECTIONS_MAX: countFromOne.default(10_000),
  /**
   * Maximum number of idle connections per network; the oldest beyond it are closed. Does not apply
   * to TRUSTED_PROXIES.
   */
  HTTP_IDLE_CONNECTIONS_PER_NETWORK_MAX: countFromOne.default(1_000),
  /**
   * Maximum number of concurrent requests with a key; then 503. Requests without a key have
   * separate limits.
   */
  HTTP_IN_FLIGHT_MAX: countFromOne.default(1_000),
  /** Maximum number of concurrent requests per key; then 429. */
  HTTP_IN_FLIGHT_PER_KEY_MAX: countFromOne.default(300),
  /** Maximum number of concurrent requests per organization, over all of its keys; then 429. */
  HTTP_IN_FLIGHT_PER_ORGANIZATION_MAX: countFromOne.default(500),
  /**
   * `max-age` of Strict-Transport-Security; 0 for no header. Defaults to a year if HOSTED_PAGE_URL
   * is an https:// address.
   */
  HSTS_MAX_AGE_SECONDS: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number of seconds')
    .transform(Number)
    .optional(),
  /** Proxies whose `X-Forwarded-For` is trusted, as addresses and ranges separated by commas. */
  TRUSTED_PROXIES: addresses.default([]),
  /**
   * Clients whose trace is continued, or `none`. Defaults to loopback if TRUSTED_PROXIES is not
   * set, otherwise to none.
   */
  TRACE_TRUSTED: z
    .literal('none')
    .transform((): string[] => [])
    .or(addresses)
    .optional(),
  /** Instance id in each response of /readyz, by which the launcher recognizes its own process. */
  INSTANCE_ID: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, - and _')
    .optional(),
  /** URL template of the trace viewer for links of the dashboard, contains `{traceId}`. */
  TRACE_URL: z
    .url('must be an address')
    .regex(/^https?:\/\/.*\{traceId\}/, 'must be an http address with {traceId} in it')
    .optional(),
  /**
   * Seal the state of a sign-in at the identity provider. Absent: a key that derives from
   * OIDC_CLIENT_SECRET does.
   */
  DATA_KEYS: dataKeysVariable.optional(),
  ...providerShape,
});

export const configurationSchema = shape.superRefine((values, context) => {
  const absent = providerVariables.filter((name) => values[name] === undefined);
  if (absent.length === providerVariables.length) return;
  for (const name of absent) {
    const message = 'is required where another OIDC_* is set';
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

export type GatewayConfiguration = z.infer<typeof configurationSchema>;

/** Joins all problems into one message. */
export function readConfig(env: Record<string, string | undefined>): GatewayConfiguration {
  return readConfiguration(configurationSchema, env);
}

/** `max-age` of Strict-Transport-Security; 0 for no header. */
export function hstsMaxAgeSeconds({
  HSTS_MAX_AGE_SECONDS: configured,
  HOSTED_PAGE_URL: url,
}: Pick<GatewayConfiguration, 'HSTS_MAX_AGE_SECONDS' | 'HOSTED_PAGE_URL'>): number {
  return configured ?? (url.startsWith('https://') ? yearSeconds : 0);
}

/** Address ranges of clients whose trace is continued. */
export function traceTrusted({ TRACE_TRUSTED, TRUSTED_PROXIES }: GatewayConfiguration): string[] {
  return TRACE_TRUSTED ?? (TRUSTED_PROXIES.length === 0 ? ['loopback'] : []);
}

/** Configuration of the identity provider, if any. */
export function providerSettings({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_LABEL: label,
}: GatewayConfiguration): ProviderSettings | undefined {
  const settings = { issuer, clientId, clientSecret, label };
  return Object.values(settings).includes(undefined) ? undefined : (settings as ProviderSettings);
}
