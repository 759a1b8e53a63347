import type { ServiceDatabase } from '../database/databases';

interface Deleted {
  readonly _id: string;
  readonly deletedAt?: Date | null;
}

/** Environments whose deletion has begun, at identity or in any service. */
export async function readDeletedEnvironments(
  databases: readonly ServiceDatabase[],
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const { service, db } of databases) {
    for await (const { _id } of db.collection<Deleted>('deletedEnvironments').find()) ids.add(_id);
    if (service !== 'identity') continue;
    const environments = db.collection<Deleted>('environments');
    for await (const { _id } of environments.find({ deletedAt: { $ne: null } })) ids.add(_id);
  }
  return [...ids];
}
