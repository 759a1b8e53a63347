import { join } from 'node:path';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { type ServiceName, serviceNames } from './services';

/** Secrets, created on the first start and stored with the data, which is useless without them. */
export interface Secrets {
  /** Key of the HMAC by which API keys are stored. */
  apiKeyPepper: string;
  /** Derives the tokens of public pages; a change invalidates every page address. */
  hostedPageSecret: string;
  /** Derives the tokens of portal sessions; a change invalidates active sessions. */
  portalSecret: string;
  /** Encryption keys of stored secrets such as those of webhook endpoints; see DATA_KEYS. */
  dataKeys: string;
}

/** Servers, folders and settings of one system. */
export interface SystemSite {
  mongodbUri: string;
  natsUrl: string;
  /** Prefix of the database names of the services. */
  databasePrefix: string;
  streamName: string;
  /** Replicas of the stream; absent: the services' own default. */
  streamReplicas?: string | undefined;
  /** Size of the stream in bytes; absent: the services' own default. */
  streamMaxBytes?: string | undefined;
  /** Short folder of the services' sockets; only the launcher's user can open it. */
  runDir: string;
  /** Port of the gateway; 0 for any free one, see `withPort`. */
  port: number;
  secrets: Secrets;
  /** Folder with one log file per service; absent: logs go to standard output. */
  logDir?: string | undefined;
  logLevel?: string | undefined;
  /** Folder of the databases' files on this machine; absent: free disk space is not checked. */
  databasesDir?: string | undefined;
  /** Free megabytes below which writes are refused; absent: the services' own default. */
  diskReserveMb?: string | undefined;
  /** Displayed version; absent: the services' own default. */
  version?: string | undefined;
  otlpEndpoint?: string | undefined;
  /** Ratio of new traces that are recorded, from 0 to 1; absent: the services' own default. */
  traceSampleRatio?: string | undefined;
  /** `RATE_LIMIT_*` of the gateway that differ from its defaults. */
  rateLimits?: Environment | undefined;
  /** Former values of secrets that are being replaced, by variable. */
  oldSecrets?: Environment | undefined;
  /** `RETENTION_*` and `AUDIT_LOG` that differ from the services' defaults. */
  retention?: Environment | undefined;
  /** `STRIPE_*` of checkout; without them live environments make no charge. */
  stripe?: Environment | undefined;
  /** `OIDC_*` of the gateway; without them operators sign in by their passwords only. */
  identityProvider?: Environment | undefined;
  /**
   * Transport security of the launcher's calls, for services that require TLS; absent on sockets of
   * one machine.
   */
  security?: TransportSecurity | undefined;
  /** Variables of one service only, such as its certificate and credentials. */
  variablesOf?: ((service: ServiceName) => Environment) | undefined;
}

export type Environment = Record<string, string>;

/**
 * Grace period of a stopping service's calls; that of all services together is below the launcher's
 * own limit.
 */
const SHUTDOWN_GRACE_MS = '5000';

/** Variables of a service, which may run in this process or in its own. */
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

/** gRPC address of a service; the gateway has an HTTP URL instead. */
export function serviceAddress(service: ServiceName, { runDir }: SystemSite): string {
  return `unix:${join(runDir, `${service}.sock`)}`;
}

/** URL of the gateway. */
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

/** Addresses of all services, passed to each; a service reads those of its peers. */
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
    ...(site.streamMaxBytes !== undefined && { STREAM_MAX_BYTES: site.streamMaxBytes }),
    ...retention(service, site),
    GRPC_LISTEN: serviceAddress(service, site),
    ...(site.databasesDir !== undefined && { DISK_RESERVE_FOLDER: site.databasesDir }),
    ...(site.diskReserveMb !== undefined && { DISK_RESERVE_MB: site.diskReserveMb }),
  };
}

/** Settings of retention that the service reads: those of every service, and its own. */
function retention(service: ServiceName, { retention: given = {} }: SystemSite): Environment {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => {
      if (name.startsWith('RETENTION_EVENTS')) return true;
      if (name.startsWith('RETENTION_SESSIONS')) return service === 'checkout';
      return service === (name.startsWith('RETENTION_USAGE') ? 'metering' : 'identity');
    }),
  );
}

function gateway({ port, rateLimits, identityProvider }: SystemSite): Environment {
  return { HTTP_LISTEN: `127.0.0.1:${String(port)}`, ...rateLimits, ...identityProvider };
}

/** Variables of services with the former value of a secret or its file. */
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
    return { API_KEY_PEPPER: secrets.apiKeyPepper, ...oldPepper };
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
