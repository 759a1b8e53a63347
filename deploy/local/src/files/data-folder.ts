import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type Account, canReach, makePrivateFolder, makeSharedFolder } from './account';
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
  if (!databases.startsWith(path)) {
    log(`${path} is closed to the user that the databases run as; their files are in ${databases}`);
  }
  return { path, logs, databases };
}

async function databasesFolder(path: string, account: Account | undefined): Promise<string> {
  const inside = join(path, 'databases');
  if (!account) {
    await makePrivateFolder(inside, undefined);
    return inside;
  }
  if (await canReach(inside, account)) {
    await makePrivateFolder(inside, account);
    return inside;
  }
  const key = createHash('sha256').update(path).digest('hex').slice(0, 12);
  const outside = join(ROOT_DATABASES_DIR, `${basename(path)}-${key}`);
  await makeSharedFolder(ROOT_DATABASES_DIR);
  await makePrivateFolder(outside, account);
  return outside;
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
