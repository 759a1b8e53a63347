import type { Aggregates } from '../database/aggregates';

const pending = { pendingSince: { $gt: new Date(0) } };

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
