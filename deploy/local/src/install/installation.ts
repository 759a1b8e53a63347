import { randomBytes } from 'node:crypto';
import { access, chmod, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSharedFolder } from '../files/account';
import { isAlive, type ProcessIdentity } from '../process/identity';
import { ownIdentity } from '../process/record';

export interface Installation {
  cacheDir: string;
  /** Folder name in the cache, with the program's name and version. */
  name: string;
  log: (line: string) => void;
  /** Fills the staging folder, which is then renamed to the final folder atomically. */
  install: (stage: string, final: string) => Promise<void>;
}

const LOCK_POLL_MS = 200;
const LOCK_WAIT_MAX_MS = 20 * 60_000;

/**
 * Returns the folder of an installation, which it installs if missing. Safe for concurrent callers.
 */
export async function installOnce(installation: Installation): Promise<string> {
  const { cacheDir, name, log, install } = installation;
  const final = join(cacheDir, name);
  if (await exists(final)) return final;
  await makeSharedFolder(cacheDir);
  const unlock = await lock(join(cacheDir, `${name}.lock`), log);
  try {
    if (await exists(final)) return final;
    await removeStages(cacheDir, name);
    const stage = join(cacheDir, `${stagePrefix(name)}${randomBytes(4).toString('hex')}`);
    await makeSharedFolder(stage);
    try {
      await install(stage, final);
      await rename(stage, final);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
    return final;
  } finally {
    await unlock();
  }
}

function stagePrefix(name: string): string {
  return `.stage-${name}-`;
}

/**
 * Removes old staging folders. The holder of the lock is the only installer, so all of them are
 * abandoned.
 */
async function removeStages(cacheDir: string, name: string): Promise<void> {
  for (const entry of await readdir(cacheDir)) {
    if (entry.startsWith(stagePrefix(name))) {
      await rm(join(cacheDir, entry), { recursive: true, force: true });
    }
  }
}

/**
 * Acquires a lock file with its owner's identity, so that the lock of a dead owner can be detected.
 * The file is created by a hard link, hence always complete.
 */
async function lock(file: string, log: (line: string) => void): Promise<() => Promise<void>> {
  const own = `${file}.${String(process.pid)}-${randomBytes(4).toString('hex')}`;
  await writeFile(own, JSON.stringify(ownIdentity()));
  await chmod(own, 0o644);
  try {
    for (let waitedMs = 0; waitedMs <= LOCK_WAIT_MAX_MS; waitedMs += LOCK_POLL_MS) {
      if (await tryLink(own, file)) return () => rm(file, { force: true });
      const owner = await readOwner(file);
      if (owner && !isAlive(owner)) await breakLock(file, own);
      else {
        if (waitedMs === 0) log(`Waiting for the installation by another process (${file})`);
        await delay(LOCK_POLL_MS);
      }
    }
    throw new Error(`Timed out waiting for ${file}; remove it if no installation is running`);
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Breaks the lock of a dead owner. Two waiters may detect it at the same time: each renames the
 * file to a unique name, and puts it back if it turns out to be the lock of a living owner.
 */
async function breakLock(file: string, own: string): Promise<void> {
  const taken = `${own}.broken`;
  const isTaken = await rename(file, taken).then(
    () => true,
    () => false,
  );
  if (!isTaken) return;
  const owner = await readOwner(taken);
  if (owner && isAlive(owner)) await tryLink(taken, file);
  await rm(taken, { force: true });
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity;
  } catch {
    // The lock was released in the meantime.
    return undefined;
  }
}

export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
