import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Restore } from '@billing/chassis/recovery';
import { Restores } from '@billing/chassis/restores';
import type { ServiceDatabase } from '../database/databases';

/**
 * Opens all databases. Their openings are recorded first, so that a run after a crash opens the
 * others, too. Returns the time.
 */
export async function openAll(
  databases: readonly ServiceDatabase[],
  { id }: Restore,
): Promise<Date> {
  let openedAt = systemClock.now();
  for (const { db } of databases) openedAt = await new Restores(db).recordOpening(id, openedAt);
  for (const { system } of databases) await system.open();
  return openedAt;
}

interface StoredOrganization {
  readonly _id: string;
  /** Its live environment, which has its audit entries. */
  readonly environmentId: string;
}

/** Records in the audit log of each organization that the system was opened despite findings. */
export async function recordOpeningInAudit(
  databases: readonly ServiceDatabase[],
  { restore, reason, problems }: { restore: Restore; reason: string; problems: number },
): Promise<void> {
  const identity = databases.find(({ service }) => service === 'identity')?.db;
  if (identity === undefined) throw new Error('There is no database of identity');
  const organizations = identity.collection<StoredOrganization>('organizations').find();
  const changed = (field: string, value: unknown) => ({
    field,
    fromJson: null,
    toJson: JSON.stringify(value),
  });
  for await (const { environmentId } of organizations) {
    await identity.collection<{ _id: string }>('auditEntries').insertOne({
      _id: newId(),
      environmentId,
      at: systemClock.now(),
      actorType: 'SYSTEM',
      actorId: 'reconcile',
      actorEmail: null,
      address: '',
      userAgent: '',
      action: 'reconcile --open',
      path: '',
      targetType: 'restore',
      targetId: restore.id,
      targetName: restore.code,
      targetCurrency: null,
      changes: [changed('reason', reason), changed('problems', problems)],
      concerns: null,
      requestId: '',
      status: null,
      environmentTime: null,
    } as { _id: string });
  }
}
