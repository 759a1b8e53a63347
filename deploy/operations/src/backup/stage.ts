import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { isEndedHere, newReplicaId } from '@billing/chassis/replica';

const prefix = '.billing-backup-';
const touchEveryMs = 5_000;
// Machines that share a folder may differ in their clocks.
const untouchedMsMax = 60 * 60_000;

/**
 * Runs work with a new hidden folder, which is deleted at the end unless the work has renamed it.
 * Its name has machine and process. It is touched regularly, as a sign of life for other machines.
 */
export async function withStage<T>(
  folder: string,
  work: (stage: string) => Promise<T>,
): Promise<T> {
  const stage = join(folder, `${prefix}${newReplicaId().replaceAll('/', '+')}`);
  await mkdir(stage, { mode: 0o700 });
  const touching = setInterval(() => {
    const now = systemClock.now();
    // It may have been renamed.
    void utimes(stage, now, now).catch(() => undefined);
  }, touchEveryMs);
  try {
    return await work(stage);
  } finally {
    clearInterval(touching);
    await rm(stage, { recursive: true, force: true });
  }
}

/**
 * Deletes what killed backups have left in a folder. Backups of other systems, which may run now,
 * keep their stages.
 */
export async function removeDeadStages(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix) && (await isDead(folder, name))) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}

async function isDead(folder: string, name: string): Promise<boolean> {
  if (isEndedHere(name.slice(prefix.length).replaceAll('+', '/'))) return true;
  const found = await stat(join(folder, name)).catch(() => undefined);
  if (found === undefined) return false;
  return systemClock.now().getTime() - found.mtimeMs > untouchedMsMax;
}
