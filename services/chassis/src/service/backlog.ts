import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { realTimeline } from '../grpc/call-context';
import type { Clock } from '../clock';
import type { Metrics, Observation } from '../telemetry/metrics';

type Collections = readonly AggregateCollection<never>[];

// The cost of counting grows with the count, and larger exact numbers add no information.
const countMax = 10_000;

// Real money and sandboxes are separate series: a sandbox alone wakes no operator.
const moneyKinds = [true, false];

/**
 * Reads for each kind of aggregate how many seconds the oldest outbox has waited; 0 if none waits.
 */
export async function readOutboxAges(
  collections: Collections,
  clock: Clock,
): Promise<Observation[]> {
  const read = async ({ documents, definition }: Collections[number]) =>
    agesByMoney(documents, {
      ...{ field: 'pendingSince', filter: { pendingSince: { $gt: new Date(0) } } },
      ...{ now: clock.now(), attributes: { 'billing.aggregate': definition.aggregate } },
    });
  return (await Promise.all(collections.map(read))).flat();
}

/**
 * Reads for each kind of aggregate how many documents are due to be woken or recovered, up to a
 * limit. Documents under manual clocks do not count.
 */
function readDueBacklog(collections: Collections, clock: Clock): Promise<Observation[]> {
  const read = async ({ documents, filter, attributes }: DueRead): Promise<Observation> => ({
    value: await documents.countDocuments(filter, { limit: countMax }),
    attributes,
  });
  return Promise.all(dueReads(collections, clock.now()).map(read));
}

/**
 * Reads for the same documents how many seconds the earliest has been due, by kind of money; 0 if
 * none is due.
 */
async function readDueAges(collections: Collections, clock: Clock): Promise<Observation[]> {
  const now = clock.now();
  const read = ({ documents, field, filter, attributes }: DueRead) =>
    agesByMoney(documents, { field, filter, now, attributes });
  return (await Promise.all(dueReads(collections, now).map(read))).flat();
}

/**
 * Reads the ages of the earliest match in live environments and in sandboxes. No index contains
 * `live`, so the database groups the earliest matches, at most `countMax`: if all of them are of
 * one kind, the age of the last one stands for the other kind, which is not older.
 */
async function agesByMoney(
  documents: Collections[number]['documents'],
  { field, filter, now, attributes }: AgeOptions,
): Promise<Observation[]> {
  const groups = await documents
    .aggregate<AgeGroup>([
      { $match: filter },
      { $sort: { [field]: 1 } },
      { $limit: countMax },
      {
        $group: {
          _id: '$live',
          first: { $min: `$${field}` },
          last: { $max: `$${field}` },
          count: { $sum: 1 },
        },
      },
    ])
    .toArray();
  const isCut = sumOfCounts(groups) === countMax;
  return moneyKinds.map((live) => {
    const [other] = isCut ? groups : [];
    const first = groups.find(({ _id }) => _id === live)?.first ?? other?.last ?? now;
    const ageMs = now.getTime() - first.getTime();
    return {
      value: Math.max(ageMs, 0) / 1_000,
      attributes: { ...attributes, 'billing.live': live },
    };
  });
}

/** The earliest matches of one kind of money. */
interface AgeGroup {
  /** Value of `live`. */
  readonly _id: boolean | null;
  readonly first: Date;
  readonly last: Date;
  readonly count: number | bigint;
}

function sumOfCounts(groups: readonly AgeGroup[]): number {
  return groups.reduce((sum, { count }) => sum + Number(count), 0);
}

/** Registers all of these to be read at each export. */
export function observeBacklogs(metrics: Metrics, collections: Collections, clock: Clock): void {
  metrics.observe('outboxAge', () => readOutboxAges(collections, clock));
  metrics.observe('dueBacklog', () => readDueBacklog(collections, clock));
  metrics.observe('dueAge', () => readDueAges(collections, clock));
}

interface AgeOptions {
  readonly field: 'dueAt' | 'recoverAt' | 'pendingSince';
  /** Filter with an index that returns matches in the order of their time. */
  readonly filter: object;
  readonly now: Date;
  readonly attributes: Observation['attributes'];
}

/** Documents of a kind of aggregate that are due for one kind of work. */
interface DueRead extends Omit<AgeOptions, 'now'> {
  readonly field: 'dueAt' | 'recoverAt';
  readonly documents: Collections[number]['documents'];
}

function dueReads(collections: Collections, now: Date): DueRead[] {
  const kinds = [
    { kind: 'wake', field: 'dueAt', filter: { timeline: realTimeline, dueAt: { $lte: now } } },
    { kind: 'recover', field: 'recoverAt', filter: { recoverAt: { $gt: new Date(0), $lte: now } } },
  ] as const;
  return collections.flatMap(({ documents, definition }) =>
    kinds
      .filter(({ field }) => definition[field] !== undefined)
      .map(({ kind, field, filter }) => ({
        ...{ documents, field, filter },
        attributes: {
          'billing.aggregate': definition.aggregate,
          'billing.due_work.kind': kind,
        },
      })),
  );
}
