import type { Collection } from 'mongodb';
import { savedCollections, type ServiceDatabase } from './databases';

interface StoredAggregate {
  readonly pendingSince: Date | null;
  readonly environmentId: string;
  /** Real time of the last write; absent: by a release before 0.2.0. */
  readonly changedAt?: Date;
}

/** Aggregates of one kind. */
export interface Aggregates {
  /** `<service>.<collection>`. */
  readonly name: string;
  readonly documents: Collection<StoredAggregate>;
}

/** Finds the aggregates of all services: they have an index of what waits in them. */
export async function findAggregates(
  databases: readonly ServiceDatabase[],
): Promise<readonly Aggregates[]> {
  const found: Aggregates[] = [];
  for (const { service, db } of databases) {
    for (const name of await savedCollections(db)) {
      const documents = db.collection<StoredAggregate>(name);
      const indexes = await documents.indexes();
      const isOfAggregates = indexes.some(({ key }) => Object.keys(key).includes('pendingSince'));
      if (isOfAggregates) found.push({ name: `${service}.${name}`, documents });
    }
  }
  return found;
}
