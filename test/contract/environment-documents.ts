import { connectMongo } from '@billing/chassis/mongo';
import { serviceNames } from '@billing/local/services';
import type { TestSystem } from '../support/shared-system';

// The audit log of operators stays, and a tombstone contains the id alone.
const kept = new Set(['identity.auditEntries']);

/**
 * Counts the documents of each collection of every service that mention an environment in any
 * field.
 */
export async function documentsNaming(
  environmentId: string,
  { databases }: Pick<TestSystem, 'databases'>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const service of serviceNames.filter((name) => name !== 'gateway')) {
    const { uri, prefix } = databases;
    const mongo = await connectMongo({ uri, database: `${prefix}_${service}`, service: 'test' });
    try {
      for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
        const documents = await mongo.db.collection(name).find({}).toArray();
        const found = documents.filter((document) => isNaming(document, environmentId));
        const place = `${service}.${name}`;
        const isKept = kept.has(place) || name === 'deletedEnvironments';
        if (found.length > 0 && !isKept) counts[place] = found.length;
      }
    } finally {
      await mongo.close();
    }
  }
  return counts;
}

/** Path and bodies of a request belong to the environment in which it was made. */
function isNaming(
  { path: _path, request: _request, response: _response, ...document }: Record<string, unknown>,
  id: string,
): boolean {
  const text = JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return text.includes(id);
}
