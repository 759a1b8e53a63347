import { randomBytes } from 'node:crypto';
import { access, chmod, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSharedFolder } from './account';
import { isAlive, type ProcessIdentity } from './process-identity';
import { ownIdentity } from './process-record';

export interface Installation {
  cacheDir: string;
  /** The folder's name in the cache; what is installed and its version belong in it. */
  name: string;
  log: (line: string) => void;
  /** Fills the stage, which afterwards is renamed to the final folder in one step. */
  install: (stage: string, final: string) => Promise<void>;
}

const LOCK_POLL_MS = 200;
const LOCK_WAIT_MAX_MS = 20 * 60_000;

/** Answers the folder of an installation; installs it when it is not there. Safe under concurrent callers. */
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

/** Whoever holds the lock is the only installer, so every stage that it finds is a dead one. */
async function removeStages(cacheDir: string, name: string): Promise<void> {
  for (const entry of await readdir(cacheDir)) {
    if (entry.startsWith(stagePrefix(name))) {
      await rm(join(cacheDir, entry), { recursive: true, force: true });
    }
  }
}

/**
 * A lock file holds its owner's identity, so that a dead owner's lock is known as such. It appears by hard link, complete
 * or not at all.
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
        if (waitedMs === 0) log(`Waiting for another process that is installing (${file})`);
        await delay(LOCK_POLL_MS);
      }
    }
    throw new Error(`Waited too long for ${file}; remove it if nothing is being installed`);
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Two waiters may both see the dead owner: each renames what is there to a name of its own, and one that finds it took a
 * living owner's lock puts it back.
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
    // Released meanwhile.
    return undefined;
  }
}

export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
