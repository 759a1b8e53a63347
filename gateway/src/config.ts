import { z } from 'zod';
import type { ProviderSettings } from './dashboard/identity-provider';
import {
  hostedPageShape,
  readConfiguration,
  serviceConfigurationShape,
  transportSecurityShape,
} from '@billing/chassis/configuration';
import { isAddressOrRange } from './address-list';

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
// On a machine's own loopback nobody listens who could not also read the configuration.
const issuerPattern = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])([:/]|$))/;
const yearSeconds = 31_536_000;

const addresses = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .refine((all) => all.every(isAddressOrRange), 'must be addresses or ranges such as 10.0.0.0/8');

/** How operators sign in by an OpenID Connect provider: all or none. */
const providerShape = {
  OIDC_ISSUER: z
    .url('must be an https:// address')
    .regex(issuerPattern, 'must be an https:// address')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** What people call the provider, for the button. */
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
  /** Where REST is served; port 0 takes a free one. */
  HTTP_LISTEN: z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port'),
  /** Where browsers reach the gateway; the services that make links to pages have the same. */
  HOSTED_PAGE_URL: hostedPageShape.HOSTED_PAGE_URL,
  IDENTITY_ADDRESS: address,
  CATALOG_ADDRESS: address,
  CUSTOMER_ADDRESS: address,
  DISCOUNT_ADDRESS: address,
  CHECKOUT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
  METERING_ADDRESS: address,
  NOTIFIER_ADDRESS: address,
  /** Requests of one key, for this process; 0 for no limit. */
  RATE_LIMIT_PER_SECOND: count.default(100),
  RATE_LIMIT_BURST: count.default(200),
  /**
   * Batches of usage events of one key, for this process, beside all its requests; 0 for no limit.
   */
  RATE_LIMIT_INGEST_PER_SECOND: count.default(50),
  /** Requests of one address that were refused for their key; 0 for no limit. */
  RATE_LIMIT_REFUSED_KEYS_PER_SECOND: count.default(100),
  /** Requests of one address for public pages; 0 for no limit. */
  RATE_LIMIT_PAGES_PER_SECOND: count.default(100),
  /**
   * Orders of one address at checkout links, each of which may hold a redemption of a discount for
   * a day; 0 for no limit of their own.
   */
  RATE_LIMIT_LINK_ORDERS_PER_MINUTE: count.default(10),
  /**
   * From the first byte of a request to the end of its headers; a caller who takes longer gets 408.
   */
  HTTP_HEADERS_TIMEOUT_MS: countFromOne.default(10_000),
  /**
   * From the first byte of a request to the end of its body; a caller who takes longer gets 408.
   */
  HTTP_REQUEST_TIMEOUT_MS: countFromOne.default(30_000),
  /** Connections beyond so many are closed as they come. */
  HTTP_CONNECTIONS_MAX: countFromOne.default(10_000),
  /**
   * Of the connections of one network on which no request runs, the oldest beyond so many are
   * closed; not those of TRUSTED_PROXIES.
   */
  HTTP_IDLE_CONNECTIONS_PER_NETWORK_MAX: countFromOne.default(1_000),
  /**
   * Requests with a key beyond so many at a time get 503; requests without one have places of their
   * own.
   */
  HTTP_IN_FLIGHT_MAX: countFromOne.default(1_000),
  /** Requests of one key beyond so many at a time get 429. */
  HTTP_IN_FLIGHT_PER_KEY_MAX: countFromOne.default(300),
  /**
   * Requests of one organisation beyond so many at a time get 429: its keys together leave places
   * for others.
   */
  HTTP_IN_FLIGHT_PER_ORGANIZATION_MAX: countFromOne.default(500),
  /**
   * How long browsers insist on TLS; 0 sends no such header. Absent: a year where HOSTED_PAGE_URL
   * is an https:// address.
   */
  HSTS_MAX_AGE_SECONDS: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number of seconds')
    .transform(Number)
    .optional(),
  /** Proxies whose `X-Forwarded-For` is believed, as addresses and ranges separated by commas. */
  TRUSTED_PROXIES: addresses.default([]),
  /**
   * Clients whose trace is continued, or `none`; default: loopback where TRUSTED_PROXIES is not
   * set, else none.
   */
  TRACE_TRUSTED: z
    .literal('none')
    .transform((): string[] => [])
    .or(addresses)
    .optional(),
  /**
   * Told by every answer of /readyz, so that who started the process knows it from another one on
   * its port.
   */
  INSTANCE_ID: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, - and _')
    .optional(),
  /** Where a trace is looked at, for links of the dashboard: an address with `{traceId}` in it. */
  TRACE_URL: z
    .url('must be an address')
    .regex(/^https?:\/\/.*\{traceId\}/, 'must be an http address with {traceId} in it')
    .optional(),
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

/** All problems in one message. */
export function readConfig(env: Record<string, string | undefined>): GatewayConfiguration {
  return readConfiguration(configurationSchema, env);
}

/** The `max-age` of Strict-Transport-Security; 0 where the header is left out. */
export function hstsMaxAgeSeconds({
  HSTS_MAX_AGE_SECONDS: configured,
  HOSTED_PAGE_URL: url,
}: Pick<GatewayConfiguration, 'HSTS_MAX_AGE_SECONDS' | 'HOSTED_PAGE_URL'>): number {
  return configured ?? (url.startsWith('https://') ? yearSeconds : 0);
}

/** Addresses of clients whose trace is continued. */
export function traceTrusted({ TRACE_TRUSTED, TRUSTED_PROXIES }: GatewayConfiguration): string[] {
  return TRACE_TRUSTED ?? (TRUSTED_PROXIES.length === 0 ? ['loopback'] : []);
}

/** The identity provider; undefined where there is none. */
export function providerSettings({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_LABEL: label,
}: GatewayConfiguration): ProviderSettings | undefined {
  const settings = { issuer, clientId, clientSecret, label };
  return Object.values(settings).includes(undefined) ? undefined : (settings as ProviderSettings);
}
