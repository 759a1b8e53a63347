import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate-document';
import { realTimeline } from './call-context';
import type { Clock } from './clock';
import type { Observation } from './metrics';

type Collections = readonly AggregateCollection<never>[];

// Counting costs as much as there is to count; beyond this the exact number says nothing more.
const countMax = 10_000;

/** For each kind of aggregate, the seconds that the outbox which waits longest has waited; 0 where none waits. */
export function readOutboxAges(collections: Collections, clock: Clock): Promise<Observation[]> {
  return Promise.all(
    collections.map(async ({ documents, definition }) => {
      const oldest = await documents.findOne<Pick<AggregateDocument, 'pendingSince'>>(
        { pendingSince: { $gt: new Date(0) } },
        { projection: { pendingSince: 1 }, sort: { pendingSince: 1 } },
      );
      const since = oldest?.pendingSince?.getTime();
      const ageMs = since === undefined ? 0 : Math.max(clock.now().getTime() - since, 0);
      return { value: ageMs / 1_000, attributes: { 'billing.aggregate': definition.aggregate } };
    }),
  );
}

/** For each kind of aggregate, how many documents wait to be woken or recovered, up to a limit. Manual clocks wait for nobody. */
export async function readDueBacklog(
  collections: Collections,
  clock: Clock,
): Promise<Observation[]> {
  const now = clock.now();
  const observations = await Promise.all(
    collections.flatMap(({ documents, definition }) => {
      const count = async (kind: string, filter: object): Promise<Observation> => ({
        value: await documents.countDocuments(filter, { limit: countMax }),
        attributes: { 'billing.aggregate': definition.aggregate, 'billing.due_work.kind': kind },
      });
      const counts: Promise<Observation>[] = [];
      if (definition.dueAt !== undefined) {
        counts.push(count('wake', { timeline: realTimeline, dueAt: { $lte: now } }));
      }
      if (definition.recoverAt !== undefined) {
        counts.push(count('recover', { recoverAt: { $gt: new Date(0), $lte: now } }));
      }
      return counts;
    }),
  );
  return observations;
}
