import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { LauncherEnvironment } from './environment/launcher-environment';
import { type DataFolder, readRememberedWays } from './files/data-folder';
import { runningMongodContainer } from './container/containers';
import {
  CONTAINER,
  FERRETDB,
  infrastructureRecord,
  MONGOD,
  startInfrastructure,
} from './infrastructure';
import { installDocumentDb } from './install/documentdb';
import { livingRecord } from './process/record';
import { type ArchivedCopy, lastArchivedInstant } from './server/archived-log';
import { type ArchiverState, readArchiver } from './server/archiver';
import { takeBaseBackup } from './server/base-backup';
import { ferretDbUri } from './server/ferretdb';
import { mongodUri } from './server/mongod';
import type { LogRecovery } from './server/log-recovery';

export type { ArchiverState } from './server/archiver';

/** Databases of a system, for a command. */
export interface DataServers {
  readonly mongodbUri: string;
  /** Copies all databases as of one instant; absent unless the launcher's PostgreSQL has them. */
  readonly copyPostgres?: (target: string) => Promise<void>;
  /** Reads how the archive of the log proceeds; absent like `copyPostgres`. */
  readonly readArchiver?: () => Promise<ArchiverState | undefined>;
}

interface DataServersOptions {
  environment: LauncherEnvironment;
  data: DataFolder;
  archiveDir?: string | undefined;
  /** Recovers files of PostgreSQL that were copied or put back before they are served. */
  recovery?: LogRecovery | undefined;
  /** Refuses a data folder without a running launcher, whose servers would be started. */
  onlyRunning?: boolean;
  log: (line: string) => void;
}

/** True if a launcher runs on the data folder. */
export async function isSystemRunning(dataDir: string): Promise<boolean> {
  return (await livingRecord(infrastructureRecord(dataDir))) !== undefined;
}

/**
 * Runs a command on the servers that the variables name, on those of the running launcher, or else
 * on the data folder's own, which run until the command ends.
 */
export async function withDataServers<T>(
  options: DataServersOptions,
  work: (servers: DataServers) => Promise<T>,
): Promise<T> {
  const { environment, data, archiveDir, recovery, onlyRunning = false, log } = options;
  if (environment.mongodbUri !== undefined) return work({ mongodbUri: environment.mongodbUri });
  const record = await livingRecord(infrastructureRecord(data.path));
  if (record !== undefined) return work(await runningServers(options, record.folders));
  if (onlyRunning) {
    const message = 'The system on this data folder is not running';
    throw new StartRefusal(exitStatuses.busy, message);
  }
  const dataDir = data.path;
  const servers = { dataDir, archiveDir, recovery, log, environment };
  const infrastructure = await startInfrastructure(servers);
  try {
    const { mongodbUri, socketDir, describe } = infrastructure;
    if (describe.mongodb !== FERRETDB) return await work({ mongodbUri });
    return await work({ mongodbUri, ...postgresTools(options, socketDir) });
  } finally {
    await infrastructure.stop();
  }
}

async function runningServers(
  options: DataServersOptions,
  [socketDir = '']: readonly string[],
): Promise<DataServers> {
  const { mongodb } = await readRememberedWays(options.data);
  if (mongodb === MONGOD) return { mongodbUri: mongodUri(socketDir) };
  if (mongodb === FERRETDB) {
    return { mongodbUri: ferretDbUri(socketDir), ...postgresTools(options, socketDir) };
  }
  if (mongodb === CONTAINER) {
    const folders = { dataDir: options.data.databases, runDir: socketDir };
    return { mongodbUri: await runningMongodContainer(folders) };
  }
  throw new StartRefusal(exitStatuses.busy, 'The databases of this system are starting: try again');
}

/**
 * Latest instant that a copy of the launcher's PostgreSQL can be brought to; undefined: its archive
 * has nothing after the copy.
 */
export async function lastReplayableInstant(
  environment: LauncherEnvironment,
  copy: ArchivedCopy,
  log: (line: string) => void,
): Promise<Date | undefined> {
  return lastArchivedInstant(await installDocumentDb(environment, log), copy);
}

function postgresTools({ environment, log }: DataServersOptions, socketDir: string) {
  return {
    copyPostgres: async (target: string) => {
      const programs = await installDocumentDb(environment, log);
      await takeBaseBackup(programs, { socketDir, target });
    },
    readArchiver: async () => readArchiver(await installDocumentDb(environment, log), socketDir),
  };
}
