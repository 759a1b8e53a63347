import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Restore } from '@billing/chassis/recovery';
import { ReplicaStore } from '@billing/chassis/replica-store';
import { restoreCodeAt } from '@billing/chassis/restore-codes';
import { Restores } from '@billing/chassis/restores';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { forgetLeases } from '../database/command-lease';
import type { ServiceDatabase } from '../database/databases';

/** Snapshots of several servers may lie some seconds apart; `reconcile` repairs that. */
export const apartMsMax = 60_000;
const lookEveryMs = 1_000;

/** Closes all databases that are being restored: none is served before `reconcile` opens them. */
export async function closeDatabases(databases: readonly ServiceDatabase[]): Promise<void> {
  for (const { db, system } of databases) {
    if (await system.close()) continue;
    const message = `${db.databaseName} was moved by a final backup: restore all databases to one instant`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
}

/** Refuses a database that was in use after the instant. */
export async function refuseOtherInstants(
  databases: readonly ServiceDatabase[],
  instant: Date,
): Promise<void> {
  for (const { db } of databases) {
    const beats = await new ReplicaStore(db).list();
    const latest = Math.max(0, ...beats.map(({ at }) => at.getTime()));
    if (latest > instant.getTime() + apartMsMax) throw notRestored(db.databaseName, instant);
  }
}

export function notRestored(database: string, instant: Date): StartRefusal {
  const text = `${database} was not restored to ${instant.toISOString()}`;
  const message = `${text}: restore all databases to one instant`;
  return new StartRefusal(exitStatuses.configuration, message);
}

/**
 * Names the restore in all databases, which are closed and complete. Until the last one has the
 * name, `reconcile` refuses them.
 */
export async function nameRestore(
  databases: readonly ServiceDatabase[],
  instant: Date,
): Promise<Restore> {
  const at = await nextMinute(databases);
  const restore = { id: newId(), code: restoreCodeAt(at), at, instant };
  for (const { db } of databases) {
    await new Restores(db).record(restore);
    // Those of the time before are of processes that no longer use this data.
    await new ReplicaStore(db).removeAll();
    await forgetLeases(db);
  }
  for (const { system } of databases) await system.recoverFrom(restore);
  return restore;
}

/** Waits for a minute in which these databases have no restore: its code is theirs alone. */
async function nextMinute(databases: readonly ServiceDatabase[]): Promise<Date> {
  const newest = await Promise.all(databases.map(({ db }) => new Restores(db).newest()));
  const last = Math.max(0, ...newest.map((restore) => restore?.at.getTime() ?? 0));
  const now = systemClock.now();
  if (last > now.getTime() + apartMsMax) {
    const text = `The databases were restored at ${new Date(last).toISOString()}`;
    const message = `${text}, which is later than the clock of this machine`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
  for (;;) {
    const at = systemClock.now();
    if (at.getTime() > last && restoreCodeAt(at) !== restoreCodeAt(new Date(last))) return at;
    await delay(lookEveryMs);
  }
}
