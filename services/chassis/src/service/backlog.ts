import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { AggregateDocument } from '../aggregates/aggregate';
import { realTimeline } from '../grpc/call-context';
import type { Clock } from '../clock';
import type { AttributeValue, Metrics, Observation } from '../telemetry/metrics';

type Collections = readonly AggregateCollection<never>[];

// The cost of counting grows with the count, and larger exact numbers add no information.
const countMax = 10_000;

/**
 * Reads for each kind of aggregate how many seconds the oldest outbox has waited; 0 if none waits.
 */
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

/**
 * Reads for each kind of aggregate how many documents are due to be woken or recovered, up to a
 * limit. Documents under manual clocks do not count.
 */
function readDueBacklog(collections: Collections, clock: Clock): Promise<Observation[]> {
  return readDue(collections, clock.now(), ({ documents, filter }) =>
    documents.countDocuments(filter, { limit: countMax }),
  );
}

/** Reads for the same documents how many seconds the earliest has been due; 0 if none is due. */
function readDueAges(collections: Collections, clock: Clock): Promise<Observation[]> {
  const now = clock.now();
  return readDue(collections, now, async ({ documents, filter, field }) => {
    // Excludes the id, so that the index covers the query.
    const first = await documents.findOne<Partial<Pick<AggregateDocument, typeof field>>>(filter, {
      projection: { _id: 0, [field]: 1 },
      sort: { [field]: 1 },
    });
    return (now.getTime() - (first?.[field] ?? now).getTime()) / 1_000;
  });
}

/** Registers all of these to be read at each export. */
export function observeBacklogs(metrics: Metrics, collections: Collections, clock: Clock): void {
  metrics.observe('outboxAge', () => readOutboxAges(collections, clock));
  metrics.observe('dueBacklog', () => readDueBacklog(collections, clock));
  metrics.observe('dueAge', () => readDueAges(collections, clock));
}

interface DueKind {
  readonly kind: AttributeValue<'billing.due_work.kind'>;
  readonly field: 'dueAt' | 'recoverAt';
  /** Filter with an index that returns matches in the order of their time. */
  readonly filter: object;
}

type ReadDue = (due: DueKind & Pick<Collections[number], 'documents'>) => Promise<number>;

function readDue(collections: Collections, now: Date, read: ReadDue): Promise<Observation[]> {
  const kinds: readonly DueKind[] = [
    { kind: 'wake', field: 'dueAt', filter: { timeline: realTimeline, dueAt: { $lte: now } } },
    {
      kind: 'recover',
      field: 'recoverAt',
      filter: { recoverAt: { $gt: new Date(0), $lte: now } },
    },
  ];
  return Promise.all(
    collections.flatMap(({ documents, definition }) =>
      kinds
        .filter(({ field }) => definition[field] !== undefined)
        .map(async (due) => ({
          value: await read({ ...due, documents }),
          attributes: {
            'billing.aggregate': definition.aggregate,
            'billing.due_work.kind': due.kind,
          },
        })),
    ),
  );
}
