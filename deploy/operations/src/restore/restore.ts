import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { productVersion } from '@billing/chassis/version';
import { unprivilegedAccount } from '@billing/local/account';
import {
  type DataFolder,
  findDataFolder,
  type FoundDataFolder,
  hasDatabases,
  openDataFolder,
  rememberWays,
} from '@billing/local/data-folder';
import { isSystemRunning, withDataServers } from '@billing/local/data-servers';
import { FERRETDB } from '@billing/local/infrastructure';
import { readDataSettings, reportProgress } from '@billing/local/maintenance';
import { databaseNames } from '@billing/local/moved-data';
import { readJsonIfThere, writePrivateJson } from '@billing/local/private-file';
import { countDocuments, type ServiceDatabase, withDatabases } from '../database/databases';
import { indexesFile, readDatabase } from '../database/document-files';
import { closeDatabases, nameRestore, refuseOtherInstants } from './name-restore';
import { type PointInTime, refuseOutOfReach } from './point-in-time';
import { copyPrivately, findDamaged } from '../files/file-list';
import {
  damagedBackup,
  isOfPostgres,
  type Manifest,
  postgresFolder,
  readManifest,
} from '../files/manifest';

/** Backup to restore, and its target. */
export interface RestoreOptions {
  /** Folder of one backup. */
  readonly from: string;
  readonly dataDir: string | undefined;
  /** A later instant than that of the backup; absent: that of the backup. */
  readonly point?: PointInTime | undefined;
}

/**
 * Restores a backup into an empty data folder. After one that is not final, the databases stay
 * closed until `reconcile` has compared the services. Returns the data folder.
 */
export async function restore({ from, dataDir, point }: RestoreOptions): Promise<string> {
  const folder = resolve(from);
  const manifest = await readManifest(folder, productVersion);
  const { environment, settings } = readDataSettings(dataDir);
  const isElsewhere = environment.mongodbUri !== undefined;
  const target = { ...settings, isElsewhere };
  await refuseUsedFolder(await findDataFolder(settings.dataDir, { rootReads: false }));
  refuseUnfit(manifest, target);
  if (point !== undefined) await refuseOutOfReach({ folder, manifest, point, environment });
  const damaged = findUnlisted(manifest) ?? (await findDamaged(folder, manifest.files));
  if (damaged !== undefined) throw damagedBackup(damaged);
  // Before a folder is made: the same command may be repeated.
  if (environment.mongodbUri !== undefined) {
    await withDatabases(environment.mongodbUri, settings, refuseFilled);
  }
  const data = await openDataFolder(settings.dataDir, unprivilegedAccount(), reportProgress);
  await refuseUsedDatabases(data);
  if (isOfPostgres(manifest)) await copyPostgres(folder, manifest, data);
  const { archiveDir } = settings;
  const recovery = {
    replay: point && { archiveDir: point.archiveDir, until: point.at },
  };
  if (point !== undefined) reportProgress(`Replaying the archive up to ${point.at.toISOString()}`);
  const servers = { environment, data, archiveDir, recovery, log: reportProgress };
  const instant = point?.at ?? new Date(manifest.instant);
  await withDataServers(servers, ({ mongodbUri }) =>
    withDatabases(mongodbUri, settings, (databases) =>
      manifest.final
        ? completeMove(folder, manifest, databases)
        : completeRestore(folder, manifest, { databases, instant }),
    ),
  );
  // Last: without it, a start on data that is not complete is refused.
  const isListed = manifest.files.some(({ path }) => path === secretsFile);
  const secrets = isListed ? await readJsonIfThere(join(folder, secretsFile)) : undefined;
  if (secrets !== undefined) await writePrivateJson(join(data.path, secretsFile), secrets);
  return data.path;
}

const secretsFile = 'secrets.json';

async function completeMove(
  folder: string,
  manifest: Manifest,
  databases: readonly ServiceDatabase[],
): Promise<void> {
  if (!isOfPostgres(manifest)) {
    await refuseFilled(databases);
    for (const { system } of databases) await system.move(new Date(manifest.instant));
    await insertDocuments(folder, manifest, databases);
  }
  await compareCounts(manifest, databases);
  for (const { system } of databases) await system.undoMove();
}

/** The databases stay closed: the start after the restore runs `reconcile`. */
async function completeRestore(
  folder: string,
  manifest: Manifest,
  { databases, instant }: { databases: readonly ServiceDatabase[]; instant: Date },
): Promise<void> {
  if (!isOfPostgres(manifest)) await refuseFilled(databases);
  await closeDatabases(databases);
  if (!isOfPostgres(manifest)) {
    await insertDocuments(folder, manifest, databases);
    await compareCounts(manifest, databases);
  }
  await refuseOtherInstants(databases, instant);
  await nameRestore(databases, instant);
}

async function refuseUsedFolder({ path, isThere }: FoundDataFolder): Promise<void> {
  if (!isThere) return;
  if (await isSystemRunning(path)) {
    const message = 'The system on this data folder is running';
    throw new StartRefusal(exitStatuses.busy, message);
  }
  if ((await readdir(path)).length === 0) return;
  throw new StartRefusal(exitStatuses.configuration, '--data must be empty');
}

/** Refuses databases outside of the data folder, left by a data folder that had its path. */
async function refuseUsedDatabases(data: DataFolder): Promise<void> {
  if (!(await hasDatabases(data))) return;
  const message = `--data must be empty: its databases are in ${data.databases}`;
  throw new StartRefusal(exitStatuses.configuration, message);
}

interface Target {
  readonly databasePrefix: string;
  readonly isElsewhere: boolean;
}

/** Refuses a backup that this release cannot restore there, before anything is written. */
export function refuseUnfit(manifest: Manifest, target: Target): void {
  const problem = problemOf(manifest, target);
  if (problem !== undefined) throw new StartRefusal(exitStatuses.configuration, problem);
}

function problemOf(manifest: Manifest, { databasePrefix, isElsewhere }: Target) {
  if (!isOfPostgres(manifest)) return undefined;
  if (isElsewhere) {
    return 'MONGODB_URI: the backup has files of the PostgreSQL of npm start, which no other server reads';
  }
  const names = databaseNames(databasePrefix);
  const other = manifest.databases.find(({ service, database }) => names.get(service) !== database);
  if (other === undefined) return undefined;
  return `DATABASE_PREFIX: the backup has a database named ${other.database}`;
}

/** Copies the files that the manifest lists, and no others. */
async function copyPostgres(folder: string, manifest: Manifest, data: DataFolder): Promise<void> {
  reportProgress('Copying the databases');
  const source = join(folder, postgresFolder);
  const target = join(data.databases, 'postgres');
  const files = filesOf(manifest, postgresFolder);
  await copyPrivately({ source, files, target }, unprivilegedAccount());
  await rememberWays(data, { mongodb: FERRETDB });
}

async function refuseFilled(databases: readonly ServiceDatabase[]): Promise<void> {
  for (const { db } of databases) {
    if ((await db.listCollections({}, { nameOnly: true }).toArray()).length === 0) continue;
    const message = `Database ${db.databaseName} is not empty`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
}

/** Fills empty databases. They are closed until all of them are complete. */
async function insertDocuments(
  folder: string,
  manifest: Manifest,
  databases: readonly ServiceDatabase[],
): Promise<void> {
  for (const { service, db } of databases) {
    const name = manifest.databases.find((one) => one.service === service)?.database;
    if (name === undefined) continue;
    reportProgress(`Writing ${db.databaseName}`);
    const own = `databases/${name}`;
    await readDatabase(db, { folder: join(folder, own), files: filesOf(manifest, own) });
  }
}

/** Returns the first file that a backup of documents must have and that its manifest lacks. */
export function findUnlisted(manifest: Manifest): string | undefined {
  if (isOfPostgres(manifest)) return undefined;
  return manifest.databases
    .map(({ database }) => `databases/${database}/${indexesFile}`)
    .find((needed) => !manifest.files.some(({ path }) => path === needed));
}

/** Paths below a folder of the files that the manifest lists: only those have been compared. */
function filesOf({ files }: Manifest, folder: string): string[] {
  const prefix = `${folder}/`;
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length));
}

/** The databases did not change while they were copied and counted: stopped, or paused. */
async function compareCounts(
  { documents }: Manifest,
  databases: readonly ServiceDatabase[],
): Promise<void> {
  const counts = await countDocuments(databases);
  const names = Object.keys({ ...documents, ...counts });
  const other = names.find((name) => (documents[name] ?? 0) !== (counts[name] ?? 0));
  if (other !== undefined) throw damagedBackup(`documents of ${other}`);
}
