import type { Collection } from 'mongodb';
import { savedCollections, type ServiceDatabase } from '../database/databases';

interface Waiting {
  readonly pendingSince: Date | null;
  readonly environmentId: string;
  /** Real time of the last write; absent: by a release before 0.2.0. */
  readonly changedAt?: Date;
}

/** Aggregates of one kind. */
export interface Aggregates {
  /** `<service>.<collection>`. */
  readonly name: string;
  readonly documents: Collection<Waiting>;
}

const pending = { pendingSince: { $gt: new Date(0) } };

/** Finds the aggregates of all services: they have an index of what waits in them. */
export async function findAggregates(
  databases: readonly ServiceDatabase[],
): Promise<readonly Aggregates[]> {
  const found: Aggregates[] = [];
  for (const { service, db } of databases) {
    for (const name of await savedCollections(db)) {
      const documents = db.collection<Waiting>(name);
      const indexes = await documents.indexes();
      const isOfAggregates = indexes.some(({ key }) => Object.keys(key).includes('pendingSince'));
      if (isOfAggregates) found.push({ name: `${service}.${name}`, documents });
    }
  }
  return found;
}

/** True if an event or command waits in the document of any aggregate. */
export async function isPending(all: readonly Aggregates[]): Promise<boolean> {
  for (const { documents } of all) {
    if ((await documents.findOne(pending)) !== null) return true;
  }
  return false;
}

/** Number of documents in which events or commands wait, by collection. */
export async function countPending(all: readonly Aggregates[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, documents } of all) {
    const count = await documents.countDocuments(pending);
    if (count > 0) counts.set(name, count);
  }
  return counts;
}

/**
 * Environments of the aggregates, by collection. Those of identity are left out: some are of an
 * organization.
 */
export async function readUsedEnvironments(
  all: readonly Aggregates[],
): Promise<Map<string, readonly string[]>> {
  const used = new Map<string, readonly string[]>();
  for (const { name, documents } of all) {
    if (name.startsWith('identity.')) continue;
    used.set(name, (await documents.distinct('environmentId')).toSorted());
  }
  return used;
}
