import { join } from 'node:path';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { type Environment, settingsOf } from './service-settings';
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
  /** Short folder of the services' sockets; only the launcher's user can open it. */
  runDir: string;
  /** Host that the gateway listens on; absent: 127.0.0.1. */
  host?: string | undefined;
  /** Port of the gateway; 0 for any free one, see `withPort`. */
  port: number;
  /** Start of every address that is handed out; absent: the gateway's on 127.0.0.1. */
  publicUrl?: string | undefined;
  secrets: Secrets;
  /** Folder with one log file per service; absent: logs go to standard output. */
  logDir?: string | undefined;
  /** Folder of the databases' files on this machine; absent: free disk space is not checked. */
  databasesDir?: string | undefined;
  /**
   * Variables that differ from the services' defaults, by name; each service gets those that it
   * reads. A secret, here or as `*_FILE`, replaces the one of `secrets`.
   */
  settings?: Environment | undefined;
  /**
   * Transport security of the launcher's calls, for services that require TLS; absent on sockets of
   * one machine.
   */
  security?: TransportSecurity | undefined;
  /** Variables of one service only, such as its certificate and credentials. */
  variablesOf?: ((service: ServiceName) => Environment) | undefined;
}

/**
 * Grace period of a stopping service's calls; that of all services together is below the launcher's
 * own limit.
 */
const SHUTDOWN_GRACE_MS = '5000';

/** Variables of a service, which may run in this process or in its own. */
export function serviceEnvironment(service: ServiceName, site: SystemSite): Environment {
  return {
    ...(site.logDir !== undefined && { LOG_FILE: join(site.logDir, `${service}.log`) }),
    ...addresses(site),
    SHUTDOWN_GRACE_MS,
    ...(service === 'gateway' ? { HTTP_LISTEN: listenAddress(site) } : backend(service, site)),
    ...own(service, site),
    ...settingsOf(service, site.settings ?? {}),
    ...(service === 'customer' && oldPortalSecret(site)),
    ...site.variablesOf?.(service),
  };
}

/** gRPC address of a service; the gateway has an HTTP URL instead. */
export function serviceAddress(service: ServiceName, site: SystemSite): string {
  return `unix:${socketOf(service, site)}`;
}

/** Path of the socket of a gRPC service. */
export function socketOf(service: ServiceName, { runDir }: SystemSite): string {
  return join(runDir, `${service}.sock`);
}

export const LOOPBACK = '127.0.0.1';

/** Address that the gateway listens on. */
export function listenAddress({
  host = LOOPBACK,
  port,
}: Pick<SystemSite, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

/** URL of the address that the gateway listens on. */
export function gatewayUrl(site: Pick<SystemSite, 'host' | 'port'>): string {
  return `http://${listenAddress(site)}`;
}

/** Start of every address that is handed out. */
export function publicUrlOf({ publicUrl, port }: Pick<SystemSite, 'publicUrl' | 'port'>): string {
  return publicUrl ?? gatewayUrl({ port });
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
    GRPC_LISTEN: serviceAddress(service, site),
    ...(site.databasesDir !== undefined && { DISK_RESERVE_FOLDER: site.databasesDir }),
  };
}

function own(service: ServiceName, site: SystemSite): Environment {
  const { secrets } = site;
  const HOSTED_PAGE_URL = publicUrlOf(site);
  switch (service) {
    case 'identity':
      return {
        ...stored('API_KEY_PEPPER', secrets.apiKeyPepper, site),
        ...stored('DATA_KEYS', secrets.dataKeys, site),
      };
    case 'gateway':
      return { HOSTED_PAGE_URL, ...stored('DATA_KEYS', secrets.dataKeys, site) };
    case 'checkout':
      return { HOSTED_PAGE_URL, ...stored('HOSTED_PAGE_SECRET', secrets.hostedPageSecret, site) };
    case 'customer':
      return { HOSTED_PAGE_URL, ...stored('HOSTED_PAGE_SECRET', secrets.portalSecret, site) };
    case 'notifier':
      return {
        ...loopbackInSandboxes(HOSTED_PAGE_URL),
        ...stored('DATA_KEYS', secrets.dataKeys, site),
      };
    default:
      return {};
  }
}

/** The stored secret, unless the settings have another one. */
function stored(variable: string, value: string, { settings = {} }: SystemSite): Environment {
  const isGiven = variable in settings || `${variable}_FILE` in settings;
  return isGiven ? {} : { [variable]: value };
}

/**
 * The settings name one page secret, the stored secrets two: where the first one replaces both, the
 * old one of the portal is the stored one, too.
 */
function oldPortalSecret({ settings = {}, secrets }: SystemSite): Environment {
  const isReplaced =
    ('HOSTED_PAGE_SECRET' in settings || 'HOSTED_PAGE_SECRET_FILE' in settings) &&
    settings.HOSTED_PAGE_SECRET_OLD === secrets.hostedPageSecret;
  return isReplaced ? { HOSTED_PAGE_SECRET_OLD: secrets.portalSecret } : {};
}

/** Without TLS, webhook receivers under development run on the same machine. */
function loopbackInSandboxes(publicUrl: string): Environment {
  return publicUrl.startsWith('https:') ? {} : { ALLOW_LOOPBACK_IN_SANDBOXES: 'true' };
}
