import { resolve } from 'node:path';
import { ConfigurationError, type ConfigurationProblem } from '@billing/chassis/configuration';
import { hostAndPort } from '@billing/chassis/listen-address';
import type { LauncherEnvironment } from './environment/launcher-environment';
import { type Flags, isListenAddress, listenAddressForm } from './flags';
import { archiveNeedsPostgres } from './server/postgres';
import { newSecrets } from './system/secrets';
import { serviceEnvironment } from './system/service-environment';
import {
  decidedProblems,
  type Environment,
  isDecided,
  passedOn,
  problemsOf,
} from './system/service-settings';
import { serviceNames } from './system/services';

/** Settings of a start, from its flags and its environment. */
export interface Settings {
  host: string;
  port: number;
  /** Public URL; absent: that of the gateway on 127.0.0.1. */
  publicUrl: string | undefined;
  dataDir: string;
  archiveDir: string | undefined;
  databasePrefix: string;
  streamName: string;
  /** Variables of services that are passed on. */
  services: Environment;
}

/** Variables of the launcher, and of programs that talk to a system. */
const known = [
  'BILLING_URL',
  'BILLING_LISTEN',
  'BILLING_DATA',
  'BILLING_ARCHIVE',
  'BILLING_CACHE_DIR',
  'BILLING_API_KEY',
  'BILLING_LIVE_KEY',
];

/** Throws a ConfigurationError with every setting that cannot be obeyed. */
export function readSettings(
  flags: Pick<Flags, 'url' | 'listen' | 'dataDir' | 'archiveDir'>,
  { all, mongodbUri, natsUrl, databasePrefix, streamName }: LauncherEnvironment,
  dataDirDefault: string,
): Settings {
  const listen = flags.listen ?? filled(all.BILLING_LISTEN) ?? '127.0.0.1:3000';
  const archiveDir = flags.archiveDir ?? filled(all.BILLING_ARCHIVE);
  const url = flags.url ?? filled(all.BILLING_URL);
  const settings: Settings = {
    ...hostAndPort(listen),
    publicUrl: url?.replace(/\/$/, ''),
    dataDir: flags.dataDir ?? filled(all.BILLING_DATA) ?? dataDirDefault,
    archiveDir: archiveDir && resolve(archiveDir),
    databasePrefix,
    streamName,
    services: passedOn(all),
  };
  const problems = [
    url !== undefined && !isPublicUrl(url) && urlProblem,
    !isListenAddress(listen) && problem('BILLING_LISTEN', `must be ${listenAddressForm}`),
    archiveDir !== undefined && mongodbUri !== undefined && archiveNeedsPostgres,
    !prefixPattern.test(databasePrefix) &&
      problem('DATABASE_PREFIX', 'must be 1 to 40 of a-z, 0-9 and _'),
    ...unknownProblems(all),
    ...decidedProblems(all),
  ].filter((found) => found !== false);
  // Those of a service repeat a wrong URL, address or name.
  const named = new Set(problems.map(({ variable }) => variable));
  const isRepeated = (variable: string) =>
    named.has(variable) || (named.size > 0 && isDecided(variable));
  const ofServices = serviceProblems(settings, { mongodbUri, natsUrl });
  problems.push(...ofServices.filter(({ variable }) => !isRepeated(variable)));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings;
}

const prefixPattern = /^[a-z0-9_]{1,40}$/;
const urlProblem = problem('BILLING_URL', 'must be an https:// address, or http:// on loopback');

function problem(variable: string, text: string): ConfigurationProblem {
  return { variable, problem: text };
}

/** True for scheme, host and optional port, with TLS unless the host is this machine. */
function isPublicUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#@]+\/?$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
}

function unknownProblems(all: NodeJS.ProcessEnv): ConfigurationProblem[] {
  return Object.keys(all)
    .filter((name) => name.startsWith('BILLING_') && all[name] && !known.includes(name))
    .sort()
    .map((name) => problem(name, 'unknown setting'));
}

/** Each problem of a service's settings once, before anything is started. */
function serviceProblems(
  { host, port, databasePrefix, streamName, services }: Settings,
  { mongodbUri, natsUrl }: Pick<LauncherEnvironment, 'mongodbUri' | 'natsUrl'>,
): ConfigurationProblem[] {
  const site = {
    mongodbUri: mongodbUri ?? 'mongodb://database',
    natsUrl: natsUrl ?? 'nats://stream',
    databasePrefix: prefixPattern.test(databasePrefix) ? databasePrefix : 'billing',
    streamName,
    runDir: '/run',
    host,
    port,
    secrets: newSecrets(),
    settings: services,
  };
  const found = new Map<string, ConfigurationProblem>();
  for (const service of serviceNames) {
    for (const one of problemsOf(service, serviceEnvironment(service, site))) {
      if (!found.has(one.variable)) found.set(one.variable, one);
    }
  }
  return [...found.values()];
}

function filled(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
