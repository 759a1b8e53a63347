import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Closers } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import {
  type LauncherEnvironment,
  readLauncherEnvironment,
} from './environment/launcher-environment';
import { unprivilegedAccount } from './files/account';
import { findDataFolder, hasDatabases, openDataFolder } from './files/data-folder';
import { startInfrastructure } from './infrastructure';
import { readSettings, type Settings } from './settings';
import { ensureSecrets } from './system/secrets';
import type { SystemSite } from './system/service-environment';

const dataDirDefault = join(__dirname, '../../../.data');

/**
 * Runs a command on the data of a system: on the servers that the variables name, or on those of
 * the data folder, whose system must be stopped. Returns the last line of the command.
 */
export async function onSystemData(
  dataDirGiven: string | undefined,
  work: (site: SystemSite) => Promise<string>,
): Promise<string> {
  const { environment, settings } = readDataSettings(dataDirGiven);
  const { dataDir, archiveDir, databasePrefix, streamName } = settings;
  const isElsewhere = environment.mongodbUri !== undefined;
  const { isThere } = await findDataFolder(dataDir, { rootReads: false });
  if (!isThere && !isElsewhere) return 'There is no data yet';
  const data = await openDataFolder(dataDir, unprivilegedAccount(), () => undefined);
  const hasData = await hasDatabases(data);
  if (!hasData && !isElsewhere) return 'There is no data yet';
  const secrets = await ensureSecrets(data.path, { hasData });
  const closers = new Closers();
  try {
    const runDir = await mkdtemp(join(tmpdir(), 'billing-maintenance-'));
    closers.add('folder', () => rm(runDir, { recursive: true, force: true }));
    const log = reportProgress;
    const infrastructure = await startInfrastructure({ dataDir, archiveDir, log, environment });
    closers.add('databases', () => infrastructure.stop());
    const { mongodbUri, natsUrl } = infrastructure;
    const names = { databasePrefix, streamName };
    const servers = { mongodbUri, natsUrl, runDir };
    return await work({ ...servers, ...names, port: 0, secrets, settings: settings.services });
  } finally {
    await closers.closeAll();
  }
}

/** Reads the settings of a command on the data of a system. */
export function readDataSettings(dataDirGiven: string | undefined): {
  environment: LauncherEnvironment;
  settings: Settings;
} {
  const environment = readLauncherEnvironment();
  const flags = { url: undefined, listen: undefined, dataDir: dataDirGiven, archiveDir: undefined };
  return { environment, settings: readSettings(flags, environment, dataDirDefault) };
}

/** Reads flags, all of them with a text. */
export function readFlags<N extends string>(
  names: readonly N[],
  usage: string,
): Partial<Record<N, string>> {
  const text = { type: 'string' } as const;
  const options = Object.fromEntries(names.map((name) => [name, text])) as Record<N, typeof text>;
  return readFlagValues(options, usage);
}

/** Refusal of wrong usage: the reason and the first line of the usage, which `--help` prints. */
export function wrongUsage(text: string, usage: string): StartRefusal {
  const [line = ''] = usage.split('\n');
  return new StartRefusal(exitStatuses.usage, `${text}\n${line}\n--help explains the flags`);
}

/**
 * Reads flags; refuses unknown ones, and texts that are empty. With `--help` the process prints the
 * usage and ends.
 */
export function readFlagValues<O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
) {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    const { values } = parseArgs({ args: process.argv.slice(2), options });
    const empty = Object.entries(values).find(([, value]) => value === '');
    if (empty !== undefined) throw new Error(`--${empty[0]} must not be empty`);
    return values;
  } catch (error) {
    throw wrongUsage((error as Error).message, usage);
  }
}

/** Prints a line with the time since the start. */
export function reportProgress(line: string): void {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}
