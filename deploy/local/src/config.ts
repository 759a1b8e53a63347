import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Environment, oldSecretNames } from './service-environment';

/** What the launcher reads from its environment; nothing else in this package looks at it. */
export interface LauncherEnvironment {
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Where installed programs are kept between runs and between working copies. */
  cacheDir: string;
  path: string;
  hasProxy: boolean;
  logLevel: string | undefined;
  /** What people are told that runs here. */
  version: string | undefined;
  diskReserveMb: string | undefined;
  streamReplicas: string | undefined;
  otlpEndpoint: string | undefined;
  traceSampleRatio: string | undefined;
  /** The `RATE_LIMIT_*` that are set. */
  rateLimits: Environment;
  /** Identity's `RETENTION_*` and `AUDIT_LOG` that are set. */
  retention: Environment;
  /** The `STRIPE_*` that are set. */
  stripe: Environment;
  /** The `OIDC_*` that are set. */
  identityProvider: Environment;
  /** The secrets that are being replaced; see `oldSecretNames`. */
  oldSecrets: Environment;
  /** All of it, for tools such as `go` that have settings of their own. */
  all: NodeJS.ProcessEnv;
}

/** Root's home is closed to the user that the databases run as, so root keeps its cache where all can read. */
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
