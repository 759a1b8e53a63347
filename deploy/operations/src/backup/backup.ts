import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { productVersion } from '@billing/chassis/version';
import { type DataFolder, findDataFolder, readRememberedWays } from '@billing/local/data-folder';
import { type DataServers, isSystemRunning, withDataServers } from '@billing/local/data-servers';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import { readJsonIfThere, writePrivateJson } from '@billing/local/private-file';
import { type CommandLease, withCommandLease } from '../database/command-lease';
import {
  countDocuments,
  readFingerprints,
  type ServiceDatabase,
  withDatabases,
} from '../database/databases';
import { recordBackup } from '../database/last-backup';
import { writeDatabases } from '../database/document-files';
import { refuseRunningReplicas, whilePaused } from '../database/pause';
import { describeFile, makePrivate, pathsBelow, syncToDisk } from '../files/file-list';
import { backupName, type Manifest, manifestFile, postgresFolder } from '../files/manifest';
import { removeDeadStages, withStage } from './stage';

/** Source and target of a backup. */
export interface BackupOptions {
  readonly to: string;
  /** Moves the data: it is not used again here. */
  readonly final: boolean;
  readonly dataDir: string | undefined;
}

export interface BackupResult {
  readonly path: string;
  readonly bytes: number;
  readonly instant: string;
  readonly durationMs: number;
  readonly pausedMs: number;
}

/** Copy of all databases, as of one instant. */
interface Copied {
  readonly instant: Date;
  readonly pausedMs: number;
  readonly documents: Record<string, number>;
}

interface Source {
  readonly data: DataFolder;
  readonly servers: DataServers;
  readonly databases: readonly ServiceDatabase[];
  readonly lease: CommandLease;
  /** True if the servers are your own: their files are not on this machine. */
  readonly isElsewhere: boolean;
}

/** Copies a running or stopped system into a new folder below `to`. */
export async function backUp({ to, final, dataDir }: BackupOptions): Promise<BackupResult> {
  const startedMs = monotonicMs();
  const { environment, settings } = readDataSettings(dataDir);
  const isElsewhere = environment.mongodbUri !== undefined;
  const data = await findDataFolder(settings.dataDir, { rootReads: false, isElsewhere });
  // Without it, the servers of the data folder would start empty.
  if (!isElsewhere && (await readRememberedWays(data)).mongodb === undefined) {
    const message = `There are no databases in ${data.path}: set --data or MONGODB_URI as for the start`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
  if (!data.isThere) {
    reportProgress(`There is no data folder ${data.path}: the backup will have no secrets.json`);
  }
  if (final && (await isSystemRunning(data.path))) {
    const message = 'The system on this data folder is running';
    throw new StartRefusal(exitStatuses.busy, message);
  }
  const { archiveDir } = settings;
  const options = { environment, data, archiveDir, log: reportProgress };
  const done: Saved = await withDataServers(options, (servers) =>
    withDatabases(servers.mongodbUri, settings, (databases) =>
      withCommandLease('backup', databases, (lease) =>
        saveBelow(resolve(to), final, { data, servers, databases, lease, isElsewhere }),
      ),
    ),
  );
  const { pausedMs, ...copied } = done;
  return { ...copied, durationMs: Math.round(monotonicMs() - startedMs), pausedMs };
}

type Saved = Omit<BackupResult, 'durationMs'>;

async function saveBelow(folder: string, final: boolean, source: Source): Promise<Saved> {
  const { databases } = source;
  await mkdir(folder, { recursive: true });
  await removeDeadStages(folder);
  let saved: Saved;
  if (final) {
    await refuseRunningReplicas(databases);
    saved = await whileMoved(databases, (instant) => save(folder, source, instant));
  } else {
    await refuseClosed(databases);
    saved = await save(folder, source, undefined);
    await recordBackup(databases, new Date(saved.instant));
  }
  await syncToDisk(folder);
  return saved;
}

/**
 * Writes a backup into a staging folder, which is renamed when it is complete. `movedAt` is the
 * instant of a final one.
 */
async function save(folder: string, source: Source, movedAt: Date | undefined): Promise<Saved> {
  const final = movedAt !== undefined;
  return await withStage(folder, async (stage) => {
    await mkdir(join(stage, 'databases'), { mode: 0o700 });
    const copied = await copyDatabases(source, stage, final);
    const { pausedMs } = copied;
    const instant = movedAt ?? copied.instant;
    const bytes = await describe(source, stage, { ...copied, instant, final });
    const path = join(folder, backupName(instant));
    await source.lease.confirm();
    await rename(stage, path);
    return { path, bytes, instant: instant.toISOString(), pausedMs };
  });
}

/** A backup of data that is closed could not be told from one of data in use. */
async function refuseClosed(databases: readonly ServiceDatabase[]): Promise<void> {
  for (const { system } of databases) {
    const { state, instant } = (await system.read()) ?? {};
    if (state === 'MOVED') {
      const text = `This data was moved by the final backup of ${instant?.toISOString() ?? ''}`;
      throw new StartRefusal(exitStatuses.configuration, text);
    }
    if (state === 'RECOVERING') {
      throw new StartRefusal(exitStatuses.busy, 'The system is recovering from a restore');
    }
  }
}

/**
 * Closes all databases before they are copied, so that data is never in use here and where the
 * backup is restored. A failure opens those again that this run has closed, and no other since.
 */
async function whileMoved<T>(
  databases: readonly ServiceDatabase[],
  work: (instant: Date) => Promise<T>,
): Promise<T> {
  const instant = systemClock.now();
  const moved: ServiceDatabase[] = [];
  try {
    for (const database of databases) {
      const wasMoved = (await database.system.read())?.state === 'MOVED';
      if (!(await database.system.move(instant))) {
        throw new StartRefusal(exitStatuses.busy, 'The system is recovering from a restore');
      }
      if (!wasMoved) moved.push(database);
    }
    // A replica that started since then has seen the move, or is seen here.
    await refuseRunningReplicas(databases);
    return await work(instant);
  } catch (error) {
    await Promise.allSettled(moved.map(({ system }) => system.undoMove(instant)));
    throw error;
  }
}

async function copyDatabases(
  { servers, databases }: Source,
  stage: string,
  isStopped: boolean,
): Promise<Copied> {
  if (servers.copyPostgres !== undefined) {
    await servers.copyPostgres(join(stage, postgresFolder));
    const instant = systemClock.now();
    return { instant, pausedMs: 0, documents: await countDocuments(databases) };
  }
  const write = async () => ({
    instant: systemClock.now(),
    documents: await writeDatabases(databases, join(stage, 'databases')),
  });
  if (isStopped) return { ...(await write()), pausedMs: 0 };
  const { result, pausedMs } = await whilePaused(databases, write);
  return { ...result, pausedMs };
}

/** Adds secrets and manifest, and closes the backup to other users. Returns its size. */
async function describe(
  { data, databases, isElsewhere }: Source,
  stage: string,
  { instant, documents, final }: Copied & { final: boolean },
): Promise<number> {
  const secrets = await readJsonIfThere(join(data.path, 'secrets.json'));
  if (secrets !== undefined) await writePrivateJson(join(stage, 'secrets.json'), secrets);
  const { files: paths } = await pathsBelow(stage);
  const files = [];
  for (const path of paths) files.push(await describeFile(stage, path));
  const manifest: Manifest = {
    format: 1,
    version: productVersion,
    installation: { data: data.path, databases: isElsewhere ? null : data.databases },
    instant: instant.toISOString(),
    final,
    databases: databases.map(({ service, db }) => ({ service, database: db.databaseName })),
    secrets: await readFingerprints(databases),
    files,
    documents,
  };
  await writeFile(join(stage, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  await makePrivate(stage);
  const { size } = await stat(join(stage, manifestFile));
  return files.reduce((sum, { bytes }) => sum + bytes, size);
}
