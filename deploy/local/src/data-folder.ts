import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Account, canReach, makePrivateFolder, makeSharedFolder } from './account';

/** Where a system keeps what must survive it. */
export interface DataFolder {
  path: string;
  logs: string;
  /** The databases' files: below `path`, unless the databases' user could not reach them there. */
  databases: string;
}

/** Root may work in a folder that is closed to others; the databases' files then live here. */
const ROOT_DATABASES_DIR = '/var/lib/billing';

export async function openDataFolder(
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<DataFolder> {
  await mkdir(dataDir, { recursive: true });
  const path = await realpath(dataDir);
  const logs = join(path, 'logs');
  await mkdir(logs, { recursive: true });
  const databases = await databasesFolder(path, account);
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
    await makeSharedFolder(inside);
    return inside;
  }
  const key = createHash('sha256').update(path).digest('hex').slice(0, 12);
  const outside = join(ROOT_DATABASES_DIR, `${basename(path)}-${key}`);
  await makeSharedFolder(ROOT_DATABASES_DIR);
  await makeSharedFolder(outside);
  return outside;
}

/** Which way each server was come by: data made by one way cannot be read by another. */
export interface RememberedWays {
  mongodb?: string;
  nats?: string;
}

const WAYS_FILE = 'infrastructure.json';

export async function readRememberedWays({ databases }: DataFolder): Promise<RememberedWays> {
  const text = await readFile(join(databases, WAYS_FILE), 'utf8').catch(() => '{}');
  return JSON.parse(text) as RememberedWays;
}

export async function rememberWays(folder: DataFolder, ways: RememberedWays): Promise<void> {
  const file = join(folder.databases, WAYS_FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(ways)}\n`);
  await rename(`${file}.new`, file);
}
