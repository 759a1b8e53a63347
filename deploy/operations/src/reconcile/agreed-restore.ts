import { Restores } from '@billing/chassis/restores';
import type { Restore } from '@billing/chassis/recovery';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { ServiceDatabase } from '../database/databases';
import { notRestored } from '../restore/name-restore';

/**
 * Returns the restore that all databases recover from; undefined if all are open. Refuses databases
 * that were not all restored together.
 */
export async function agreedRestore(
  databases: readonly ServiceDatabase[],
): Promise<Restore | undefined> {
  const states = await Promise.all(
    databases.map(async ({ db, system }) => ({ db, document: await system.read() })),
  );
  const recovering = states.filter(({ document }) => document?.state === 'RECOVERING');
  if (recovering.length === 0) return undefined;
  const restore = recovering.map(({ document }) => document?.restore).find((one) => one);
  if (restore === undefined || recovering.some(({ document }) => document?.restore === undefined)) {
    const message = 'The restore is not complete: repeat it';
    throw new StartRefusal(exitStatuses.configuration, message);
  }
  for (const { db, document } of states) {
    if (document?.restore?.id === restore.id) continue;
    // An earlier run was killed while it opened one database after the other.
    const known = await new Restores(db).find(restore.id);
    if (document?.state === 'OPEN' && known?.openedAt !== undefined) continue;
    throw notRestored(db.databaseName, restore.instant);
  }
  return restore;
}
