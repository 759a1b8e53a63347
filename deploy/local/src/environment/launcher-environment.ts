import { homedir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment, readConfiguration } from '@billing/chassis/configuration';
import { z } from 'zod';

/** Servers and programs of the machine, from the launcher's environment. */
export interface LauncherEnvironment {
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Prefix of the databases' names, for servers of your own. */
  databasePrefix: string;
  /** Name of the stream, for servers of your own. */
  streamName: string;
  /** Folder of installed programs, shared by runs and working copies. */
  cacheDir: string;
  path: string;
  hasProxy: boolean;
  /** The whole environment, for tools such as `go` that have settings of their own. */
  all: NodeJS.ProcessEnv;
}

/**
 * Default cache folder. The databases' user cannot read root's home, so root's cache is outside of
 * it.
 */
const ROOT_CACHE_DIR = '/var/cache/billing';

const schema = z.object({
  MONGODB_URI: z.string().trim().optional(),
  NATS_URL: z.string().trim().optional(),
  DATABASE_PREFIX: z.string().default('billing'),
  STREAM_NAME: z.string().default('BILLING'),
  BILLING_CACHE_DIR: z.string().optional(),
});

export function readLauncherEnvironment(
  environment: NodeJS.ProcessEnv = processEnvironment(),
  isRoot: boolean = process.getuid?.() === 0,
): LauncherEnvironment {
  // Refused at a start: each service would find the secrets of the others there.
  const given = { ...environment, SECRETS_FOLDER: undefined };
  const values = readConfiguration(schema, given, { isPart: true });
  const userCacheDir = join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'billing');
  return {
    mongodbUri: values.MONGODB_URI || undefined,
    natsUrl: values.NATS_URL || undefined,
    databasePrefix: values.DATABASE_PREFIX,
    streamName: values.STREAM_NAME,
    cacheDir: values.BILLING_CACHE_DIR ?? (isRoot ? ROOT_CACHE_DIR : userCacheDir),
    path: environment.PATH ?? '',
    hasProxy: Boolean(environment.HTTPS_PROXY ?? environment.https_proxy),
    all: environment,
  };
}
