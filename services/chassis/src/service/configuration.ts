import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type DataKey, parseDataKeys } from './data-keys';
import type { DataSecret } from './secret-fingerprints';
import { productVersion } from '../version';
import { transportSecurityProblems } from '../grpc/transport-security';

/** A variable and its problem. */
export interface ConfigurationProblem {
  readonly variable: string;
  readonly problem: string;
}

/**
 * Error of a process that cannot start with its configuration. The message lists every problem and
 * never a value, because values may be secrets.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly ConfigurationProblem[]) {
    const lines = problems.map(({ variable, problem }) => `  ${variable}: ${problem}`);
    super(['Invalid configuration:', ...lines].join('\n'));
  }
}

const milliseconds = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number of milliseconds')
  .transform(Number);

const positiveMilliseconds = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number of milliseconds from 1')
  .transform(Number);

const daysMax = 36_500;
// Some 80,000 events. The server reserves the space.
const streamBytesDefault = 256 * 1024 * 1024;
// Longer than webhooks can be replayed, and than backups are usually kept.
const retentionEventsMin = 40;

/** A variable with a whole number of days. */
export function wholeDays(min: number, max = daysMax) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'must be a whole number of days')
    .transform(Number)
    .refine((days) => days >= min && days <= max, `must be ${String(min)} to ${String(max)} days`);
}

/**
 * Mutual TLS between processes: PEM values, all three or none; see transport-security.ts. Usually
 * mounted as files and named by `*_FILE`; then they are reread periodically, so that certificates
 * can be replaced.
 */
export const transportSecurityShape = {
  GRPC_TLS_CERT: z.string().optional(),
  GRPC_TLS_KEY: z.string().optional(),
  GRPC_TLS_CA: z.string().optional(),
  GRPC_TLS_CERT_FILE: z.string().optional(),
  GRPC_TLS_KEY_FILE: z.string().optional(),
  GRPC_TLS_CA_FILE: z.string().optional(),
  GRPC_TLS_REREAD_MS: positiveMilliseconds.optional(),
};

/** Variables of services that create links to public pages, to spread into their schemas. */
export const hostedPageShape = {
  /** Public address of the gateway: the start of each link. */
  HOSTED_PAGE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, '')),
  // An HMAC-SHA256 key is as strong as its hash from 32 bytes on.
  HOSTED_PAGE_SECRET: z.string().min(32, 'must have at least 32 characters'),
  /** The previous secret: links made with it stay valid. */
  HOSTED_PAGE_SECRET_OLD: z.string().min(32, 'must have at least 32 characters').optional(),
};

type PageSecretVariables = Readonly<{
  HOSTED_PAGE_SECRET: string;
  HOSTED_PAGE_SECRET_OLD?: string | undefined;
}>;

/** Returns the secrets of public pages in the form that checkFingerprints expects. */
export function pageSecrets(configuration: PageSecretVariables): DataSecret[] {
  const { HOSTED_PAGE_SECRET: secret, HOSTED_PAGE_SECRET_OLD: old } = configuration;
  return [dataSecret('HOSTED_PAGE_SECRET', secret, old)];
}

/** Returns the secrets of public pages that only verify. */
export function oldSecretsOf({ HOSTED_PAGE_SECRET_OLD: old }: PageSecretVariables): string[] {
  return old === undefined ? [] : [old];
}

/** Returns a rotated secret in the form that checkFingerprints expects. */
export function dataSecret(variable: string, value: string, old: string | undefined): DataSecret {
  return { variable, value, old: old === undefined ? [] : [old] };
}

/** Keys that encrypt stored secrets: `id:base64` of 32 bytes each, the newest first. */
export const dataKeysVariable = z.string().transform((text, context) => {
  const keys = parseDataKeys(text);
  if (keys !== undefined) return keys;
  context.addIssue('must be id:base64 of 32 bytes, several separated by commas');
  return z.NEVER;
});

/** Returns the keys of DATA_KEYS in the form that checkFingerprints expects. */
export function dataKeySecrets(keys: readonly DataKey[]): DataSecret[] {
  const [newest, ...old] = keys.map(({ bytes }) => bytes);
  return newest === undefined ? [] : [{ variable: 'DATA_KEYS', value: newest, old }];
}

/**
 * Variables of every service, to spread into its schema. Addresses and secrets have no defaults.
 */
export const serviceConfigurationShape = {
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\/\S+$/, 'must be a mongodb:// address'),
  MONGODB_DATABASE: z.string().regex(/^[\w-]{1,63}$/, 'must be a database name'),
  /** Certificate authority of the database in PEM, unless it is a public one. Enables TLS. */
  MONGODB_TLS_CA: z.string().optional(),
  NATS_URL: z.string().regex(/^\S+$/, 'must be server addresses separated by commas'),
  /** Certificate authority of the server in PEM. Enables TLS. */
  NATS_TLS_CA: z.string().optional(),
  /** Text of a `.creds` file, if the address contains no user. */
  NATS_CREDENTIALS: z.string().optional(),
  STREAM_NAME: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, - and _')
    .default('BILLING'),
  /**
   * Number of servers that hold a copy of the stream. Set when the stream is created and raised on
   * start, never lowered.
   */
  STREAM_REPLICAS: z
    .string()
    .regex(/^[1-5]$/, 'must be a whole number from 1 to 5')
    .transform(Number)
    .default(1),
  /**
   * Size at which the stream drops its oldest events; set on creation and on start. Consumers find
   * dropped events in the logs.
   */
  STREAM_MAX_BYTES: z
    .string()
    .regex(/^[1-9]\d{6,14}$/, 'must be a whole number of bytes from 1000000')
    .transform(Number)
    .default(streamBytesDefault),
  /**
   * Days of real time for which logged events are kept; longer while a reader has not passed them.
   */
  RETENTION_EVENTS: wholeDays(retentionEventsMin).default(400),
  GRPC_LISTEN: z.string().regex(/^(unix:\/.+|[^\s/]+:\d{1,5})$/, 'must be host:port or unix:/path'),
  /** Address where probes are answered over plain HTTP; absent: only by the gRPC health service. */
  HEALTH_LISTEN: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FILE: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional(),
  TRACE_SAMPLE_RATIO: z
    .string()
    .regex(/^(0|1|0?\.\d+|[01]\.0+)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
  /** Version shown to people and compared with that of other replicas. */
  SERVICE_VERSION: z.string().max(100).default(productVersion),
  SHUTDOWN_GRACE_MS: milliseconds.default(10_000),
  /**
   * Folder of the database's files, if on this machine. Nothing is written while its disk has less
   * than DISK_RESERVE_MB of free space.
   */
  DISK_RESERVE_FOLDER: z.string().optional(),
  DISK_RESERVE_MB: z
    .string()
    .regex(/^\d{1,7}$/, 'must be a whole number of megabytes')
    .transform(Number)
    .default(256),
  /**
   * Time for which a stopping service reports that it is not serving before it refuses calls, so
   * that callers can move on.
   */
  DRAIN_DELAY_MS: milliseconds.default(0),
  /** Interval between exports of metrics. */
  METRIC_EXPORT_INTERVAL_MS: positiveMilliseconds.default(60_000),
  /** Calls over this limit are refused before they cost anything. */
  GRPC_IN_FLIGHT_MAX: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1')
    .transform(Number)
    .default(256),
  /** Older connections are replaced, so that callers find new replicas. */
  GRPC_CONNECTION_AGE_MS: positiveMilliseconds.default(5 * 60_000),
  /**
   * For crash tests only: folder with the points at which the process kills itself; see
   * failpoint.ts.
   */
  FAILPOINTS_FOLDER: z.string().optional(),
  /** Enables gRPC reflection. */
  GRPC_REFLECTION: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false),
  ...transportSecurityShape,
};

export type ServiceConfiguration = z.infer<z.ZodObject<typeof serviceConfigurationShape>>;

/** Returns the process's environment; the only place in the code base that reads it. */
export function processEnvironment(): Record<string, string | undefined> {
  return process.env;
}

/**
 * Reads a configuration and reports all problems together.
 * - `K_FILE` names a file with the value of `K`. `SECRETS_FOLDER` names a folder with files named
 *   after their variables.
 * - A file in that folder without a variable counts as misspelled, unless `isPart` says that the
 *   schema is only a part of the process's configuration.
 * - An empty value counts as absent, because orchestrators cannot unset a variable.
 */
export function readConfiguration<T>(
  schema: z.ZodType<T>,
  env: NodeJS.ProcessEnv | Record<string, string | undefined>,
  { isPart = false }: { isPart?: boolean } = {},
): T {
  const values: Record<string, string> = {};
  const problems: ConfigurationProblem[] = [];
  const variables = configurationVariables(schema);
  problems.push(...secretsFolderProblems(env, isPart ? undefined : variables));
  for (const variable of variables) {
    try {
      const value = readVariable(variable, env);
      if (value !== undefined) values[variable] = value;
    } catch (error) {
      problems.push({ variable, problem: (error as Error).message });
    }
  }
  // Also runs if the schema fails: all problems should be reported together.
  const unreadable = new Set(problems.map(({ variable }) => variable));
  problems.push(
    ...transportSecurityProblems(values).filter(({ variable }) => !unreadable.has(variable)),
  );
  const parsed = schema.safeParse(values);
  if (parsed.success && problems.length === 0) return parsed.data;

  const reported = new Set(problems.map(({ variable }) => variable));
  for (const issue of parsed.error?.issues ?? []) {
    const variable = issue.path.join('.');
    if (reported.has(variable)) continue;
    const isAbsent = issue.code === 'invalid_type' && values[variable] === undefined;
    problems.push({ variable, problem: isAbsent ? 'is required' : issue.message });
  }
  throw new ConfigurationError(problems);
}

/** Returns the variables of a configuration schema, without their `*_FILE` forms. */
export function configurationVariables(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return configurationVariables(schema.in);
  throw new Error('A configuration schema must be an object');
}

function readVariable(
  variable: string,
  env: Record<string, string | undefined>,
): string | undefined {
  const direct = env[variable] || undefined;
  const named = env[`${variable}_FILE`] || undefined;
  const mounted = mountedFile(variable, env);
  const given = [
    direct !== undefined && variable,
    named !== undefined && `${variable}_FILE`,
    mounted !== undefined && 'a file in SECRETS_FOLDER',
  ].filter((source) => source !== false);
  if (given.length > 1) throw new Error(`is set by ${given.join(' and ')}; set only one`);
  const path = named ?? mounted;
  return path === undefined ? direct : readText(path);
}

// Without these problems, a misnamed file would silently leave an optional variable unset.
function secretsFolderProblems(
  { SECRETS_FOLDER: folder }: Record<string, string | undefined>,
  known: readonly string[] | undefined,
): ConfigurationProblem[] {
  if (!folder) return [];
  try {
    // A mounted Kubernetes Secret contains folders of its own, whose names begin with a dot.
    const files = readdirSync(folder).filter((name) => !name.startsWith('.'));
    return files
      .filter((name) => known?.includes(name) === false)
      .map((variable) => ({ variable, problem: 'lies in SECRETS_FOLDER, but nothing reads it' }));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return [{ variable: 'SECRETS_FOLDER', problem: `cannot be read (${reason})` }];
  }
}

function mountedFile(
  variable: string,
  { SECRETS_FOLDER: folder }: Record<string, string | undefined>,
): string | undefined {
  if (!folder) return undefined;
  const path = join(folder, variable);
  return existsSync(path) ? path : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new Error(`cannot be read from the file ${path} (${reason})`, { cause: error });
  }
}
