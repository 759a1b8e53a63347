import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { z } from 'zod';
import {
  type Account,
  canReach,
  makePrivateFolder,
  makeSharedFolder,
  unprivilegedAccount,
} from './account';
import { damagedFile, makeFilesPrivate, readJsonIfThere, writePrivateJson } from './private-file';

/** Folders of the durable data of a system. */
export interface DataFolder {
  path: string;
  logs: string;
  /**
   * Folder of the databases' files: below `path`, unless the databases' user cannot reach it there.
   */
  databases: string;
}

/** Folder of the databases' files if root's data folder is closed to other users. */
const ROOT_DATABASES_DIR = '/var/lib/billing';

export async function openDataFolder(
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<DataFolder> {
  await mkdir(dataDir, { recursive: true });
  const path = await realpath(dataDir);
  // The databases' user can traverse it; other users cannot list it.
  await chmod(path, 0o711);
  const logs = join(path, 'logs');
  await makePrivateFolder(logs, undefined);
  const databases = await databasesFolder(path, account);
  for (const folder of [path, logs, databases]) await makeFilesPrivate(folder);
  reportDatabasesOutside({ path, databases }, log);
  return { path, logs, databases };
}

/** Reports where the files of the databases are, if they are not in the data folder. */
export function reportDatabasesOutside(
  { path, databases }: Pick<DataFolder, 'path' | 'databases'>,
  log: (line: string) => void,
): void {
  if (databases.startsWith(path)) return;
  log(`${path} is closed to the user that the databases run as; their files are in ${databases}`);
}

/** Data folder as it was found. */
export interface FoundDataFolder extends DataFolder {
  /** False if the folder does not exist. */
  isThere: boolean;
}

/**
 * Finds the data folder of a system without changing or creating anything. Refuses the folder of
 * another user, to whom files written here would be closed; root may read it with `rootReads`, and
 * with `isElsewhere`, for databases on servers of your own, it has nothing to write.
 */
export async function findDataFolder(
  dataDir: string,
  { rootReads, isElsewhere = false }: { rootReads: boolean; isElsewhere?: boolean },
): Promise<FoundDataFolder> {
  const path = await realpath(dataDir).catch(undefinedIfAbsent);
  if (path === undefined) return { ...foldersOf(resolve(dataDir)), isThere: false };
  const { uid } = await stat(path);
  const user = process.getuid?.() ?? uid;
  if (uid !== user && !isElsewhere && !(rootReads && user === 0)) {
    const message = `${path} belongs to user ${String(uid)}, not to ${String(user)}: run the command as its user`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
  const account = uid === 0 ? unprivilegedAccount() : undefined;
  return { ...foldersOf(path), databases: await databasesPath(path, account), isThere: true };
}

function foldersOf(path: string): DataFolder {
  return { path, logs: join(path, 'logs'), databases: join(path, 'databases') };
}

function undefinedIfAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

async function databasesFolder(path: string, account: Account | undefined): Promise<string> {
  const folder = await databasesPath(path, account);
  if (folder !== join(path, 'databases')) await makeSharedFolder(ROOT_DATABASES_DIR);
  await makePrivateFolder(folder, account);
  return folder;
}

async function databasesPath(path: string, account: Account | undefined): Promise<string> {
  // A start opens the folder of the path, but none above it.
  if (await canReach(path, account)) return join(path, 'databases');
  const key = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(ROOT_DATABASES_DIR, `${basename(path)}-${key}`);
}

/** Kind of each server: no other kind can read its data. */
export interface RememberedWays {
  mongodb?: string | undefined;
  nats?: string | undefined;
}

const WAYS_FILE = 'infrastructure.json';
const waysSchema = z.object({ mongodb: z.string().optional(), nats: z.string().optional() });

/** True if an earlier start created databases here. */
export async function hasDatabases({ databases }: DataFolder): Promise<boolean> {
  return (await readdir(databases)).length > 0;
}

export async function readRememberedWays({ databases }: DataFolder): Promise<RememberedWays> {
  const file = join(databases, WAYS_FILE);
  const stored = waysSchema.safeParse((await readJsonIfThere(file)) ?? {});
  if (!stored.success) throw damagedFile(file, 'it does not say how the databases were made');
  return stored.data;
}

export async function rememberWays(folder: DataFolder, ways: RememberedWays): Promise<void> {
  await writePrivateJson(join(folder.databases, WAYS_FILE), ways);
}
