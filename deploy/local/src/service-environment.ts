import { join } from 'node:path';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { type ServiceName, serviceNames } from './services';

/** Made on the first start and kept with the data: what they protect would be lost with them. */
export interface Secrets {
  /** Keys the HMAC that API keys are stored as. */
  apiKeyPepper: string;
  /** Makes the tokens of public pages; with another one every address that payers hold is dead. */
  hostedPageSecret: string;
  /** Makes the tokens of portal sessions; with another one those that run are dead. */
  portalSecret: string;
  /** Encrypt what is stored readably otherwise, such as secrets of webhook endpoints; see DATA_KEYS. */
  dataKeys: string;
}

/** Where one system runs and what it runs on. */
export interface SystemSite {
  mongodbUri: string;
  natsUrl: string;
  /** Each service's database is named after it, with this in front. */
  databasePrefix: string;
  streamName: string;
  /** NATS servers that each hold a copy of the stream; absent: the services' own default. */
  streamReplicas?: string | undefined;
  /** A short folder for the services' sockets; only the launcher's user can open it. */
  runDir: string;
  /** Of the gateway; 0 takes any free one, see `withPort`. */
  port: number;
  secrets: Secrets;
  /** One log file per service; without it, logs go to standard output. */
  logDir?: string | undefined;
  logLevel?: string | undefined;
  /** The databases' files on this machine; absent: their disk is not watched. */
  databasesDir?: string | undefined;
  /** Free megabytes below which nothing is written; absent: the services' own default. */
  diskReserveMb?: string | undefined;
  /** What people are told that runs here; absent: the services' own default. */
  version?: string | undefined;
  otlpEndpoint?: string | undefined;
  /** The share of new traces that are recorded, from 0 to 1; absent: the services' own default. */
  traceSampleRatio?: string | undefined;
  /** The gateway's `RATE_LIMIT_*` where they differ from its defaults. */
  rateLimits?: Environment | undefined;
  /** The former values of secrets that are being replaced, by variable. */
  oldSecrets?: Environment | undefined;
  /** Identity's `RETENTION_*` and `AUDIT_LOG` where they differ from its defaults. */
  retention?: Environment | undefined;
  /** Checkout's `STRIPE_*`; without them live environments charge nobody. */
  stripe?: Environment | undefined;
  /** The gateway's `OIDC_*`; without them operators sign in by their passwords alone. */
  identityProvider?: Environment | undefined;
  /** By which the launcher calls services that take no plain calls. On one machine's sockets there is none. */
  security?: TransportSecurity | undefined;
  /** What a service gets that no other does, such as certificates and credentials of its own. */
  variablesOf?: ((service: ServiceName) => Environment) | undefined;
}

export type Environment = Record<string, string>;

/** Calls of a service that stops get this long; all of them together stay below the launcher's own limit. */
const SHUTDOWN_GRACE_MS = '5000';

/** The variables that configure a service, whether it runs in this process or in one of its own. */
export function serviceEnvironment(service: ServiceName, site: SystemSite): Environment {
  return {
    ...logging(service, site),
    ...addresses(site),
    SHUTDOWN_GRACE_MS,
    ...(service === 'gateway' ? gateway(site) : backend(service, site)),
    ...own(service, site),
    ...site.variablesOf?.(service),
  };
}

/** What a client dials to reach a service; the gateway is reached over HTTP instead. */
export function serviceAddress(service: ServiceName, { runDir }: SystemSite): string {
  return `unix:${join(runDir, `${service}.sock`)}`;
}

/** Where the gateway is reached. */
export function gatewayUrl(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

function logging(service: ServiceName, site: SystemSite): Environment {
  return {
    ...(site.logDir !== undefined && { LOG_FILE: join(site.logDir, `${service}.log`) }),
    ...(site.logLevel !== undefined && { LOG_LEVEL: site.logLevel }),
    ...(site.version !== undefined && { SERVICE_VERSION: site.version }),
    ...(site.otlpEndpoint !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: site.otlpEndpoint }),
    ...(site.traceSampleRatio !== undefined && { TRACE_SAMPLE_RATIO: site.traceSampleRatio }),
  };
}

/** Every service is told where all are; each reads those that it calls. */
function addresses(site: SystemSite): Environment {
  return Object.fromEntries(
    serviceNames
      .filter((name) => name !== 'gateway')
      .map((name) => [`${name.toUpperCase()}_ADDRESS`, serviceAddress(name, site)]),
  );
}

function backend(service: ServiceName, site: SystemSite): Environment {
  return {
    MONGODB_URI: site.mongodbUri,
    MONGODB_DATABASE: `${site.databasePrefix}_${service}`,
    NATS_URL: site.natsUrl,
    STREAM_NAME: site.streamName,
    ...(site.streamReplicas !== undefined && { STREAM_REPLICAS: site.streamReplicas }),
    GRPC_LISTEN: serviceAddress(service, site),
    ...(site.databasesDir !== undefined && { DISK_RESERVE_FOLDER: site.databasesDir }),
    ...(site.diskReserveMb !== undefined && { DISK_RESERVE_MB: site.diskReserveMb }),
  };
}

function gateway({ port, rateLimits, identityProvider }: SystemSite): Environment {
  return { HTTP_LISTEN: `127.0.0.1:${String(port)}`, ...rateLimits, ...identityProvider };
}

/** Variables of services that hold the former value of a secret, or name its file. */
export const oldSecretNames = ['API_KEY_PEPPER', 'HOSTED_PAGE_SECRET'].flatMap((name) => [
  `${name}_OLD`,
  `${name}_OLD_FILE`,
]);

function oldSecretsOf(secret: string, { oldSecrets = {} }: SystemSite): Environment {
  const given = Object.entries(oldSecrets).filter(([name]) => name.startsWith(`${secret}_OLD`));
  return Object.fromEntries(given);
}

function own(service: ServiceName, site: SystemSite): Environment {
  const { secrets, port, stripe } = site;
  if (service === 'identity') {
    const oldPepper = oldSecretsOf('API_KEY_PEPPER', site);
    return { API_KEY_PEPPER: secrets.apiKeyPepper, ...oldPepper, ...site.retention };
  }
  const HOSTED_PAGE_URL = gatewayUrl(port);
  const oldPageSecret = oldSecretsOf('HOSTED_PAGE_SECRET', site);
  if (service === 'gateway') return { HOSTED_PAGE_URL };
  if (service === 'checkout') {
    const HOSTED_PAGE_SECRET = secrets.hostedPageSecret;
    return { HOSTED_PAGE_URL, HOSTED_PAGE_SECRET, ...oldPageSecret, ...stripe };
  }
  if (service === 'customer') {
    return { HOSTED_PAGE_URL, HOSTED_PAGE_SECRET: secrets.portalSecret, ...oldPageSecret };
  }
  // Webhook receivers under development run on the same machine.
  if (service === 'notifier') {
    return { ALLOW_LOOPBACK_IN_SANDBOXES: 'true', DATA_KEYS: secrets.dataKeys };
  }
  return {};
}
