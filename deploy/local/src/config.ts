import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Environment, oldSecretNames } from './system/service-environment';

/**
 * Settings of the launcher from its environment; no other module of this package reads the
 * environment.
 */
export interface LauncherEnvironment {
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Folder of installed programs, shared by runs and working copies. */
  cacheDir: string;
  path: string;
  hasProxy: boolean;
  logLevel: string | undefined;
  /** Displayed version. */
  version: string | undefined;
  diskReserveMb: string | undefined;
  streamReplicas: string | undefined;
  streamMaxBytes: string | undefined;
  otlpEndpoint: string | undefined;
  traceSampleRatio: string | undefined;
  /** `RATE_LIMIT_*` variables that are set. */
  rateLimits: Environment;
  /** `RETENTION_*` and `AUDIT_LOG` variables that are set. */
  retention: Environment;
  /** `STRIPE_*` variables that are set. */
  stripe: Environment;
  /** `OIDC_*` variables that are set. */
  identityProvider: Environment;
  /** Former values of secrets that are being replaced; see `oldSecretNames`. */
  oldSecrets: Environment;
  /** The whole environment, for tools such as `go` that have settings of their own. */
  all: NodeJS.ProcessEnv;
}

/**
 * Default cache folder. The databases' user cannot read root's home, so root's cache is outside of
 * it.
 */
const ROOT_CACHE_DIR = '/var/cache/billing';

export function readLauncherEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  isRoot: boolean = process.getuid?.() === 0,
): LauncherEnvironment {
  const userCacheDir = join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'billing');
  return {
    mongodbUri: filled(environment.MONGODB_URI),
    natsUrl: filled(environment.NATS_URL),
    cacheDir: filled(environment.BILLING_CACHE_DIR) ?? (isRoot ? ROOT_CACHE_DIR : userCacheDir),
    path: environment.PATH ?? '',
    hasProxy: Boolean(environment.HTTPS_PROXY ?? environment.https_proxy),
    logLevel: filled(environment.LOG_LEVEL),
    version: filled(environment.SERVICE_VERSION),
    diskReserveMb: filled(environment.DISK_RESERVE_MB),
    streamReplicas: filled(environment.STREAM_REPLICAS),
    streamMaxBytes: filled(environment.STREAM_MAX_BYTES),
    otlpEndpoint: filled(environment.OTEL_EXPORTER_OTLP_ENDPOINT),
    traceSampleRatio: filled(environment.TRACE_SAMPLE_RATIO),
    rateLimits: settingsOf(environment, 'RATE_LIMIT_'),
    retention: {
      ...settingsOf(environment, 'RETENTION_'),
      ...settingsOf(environment, 'AUDIT_LOG'),
    },
    stripe: settingsOf(environment, 'STRIPE_'),
    identityProvider: settingsOf(environment, 'OIDC_'),
    oldSecrets: Object.fromEntries(
      oldSecretNames.flatMap((name) => {
        const value = filled(environment[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    all: environment,
  };
}

function settingsOf(environment: NodeJS.ProcessEnv, prefix: string): Environment {
  const set: Environment = {};
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith(prefix) && value !== undefined) set[name] = value;
  }
  return set;
}

function filled(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
