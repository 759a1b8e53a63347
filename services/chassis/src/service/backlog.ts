import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { AggregateDocument } from '../aggregates/aggregate';
import { realTimeline } from '../grpc/call-context';
import type { Clock } from '../clock';
import type { AttributeValue, Metrics, Observation } from '../telemetry/metrics';

type Collections = readonly AggregateCollection<never>[];

// The cost of counting grows with the count, and larger exact numbers add no information.
const countMax = 10_000;

// Real money and sandboxes are separate series: a sandbox alone wakes no operator.
const moneyKinds = [true, false];

/**
 * Reads for each kind of aggregate how many seconds the oldest outbox has waited; 0 if none waits.
 */
export function readOutboxAges(collections: Collections, clock: Clock): Promise<Observation[]> {
  const read = async ({ documents, definition }: Collections[number], live: boolean) => {
    const oldest = await documents.findOne<Pick<AggregateDocument, 'pendingSince'>>(
      { pendingSince: { $gt: new Date(0) }, live },
      { projection: { pendingSince: 1 }, sort: { pendingSince: 1 } },
    );
    const since = oldest?.pendingSince?.getTime();
    const ageMs = since === undefined ? 0 : Math.max(clock.now().getTime() - since, 0);
    const attributes = { 'billing.aggregate': definition.aggregate, 'billing.live': live };
    return { value: ageMs / 1_000, attributes };
  };
  return Promise.all(
    collections.flatMap((collection) => moneyKinds.map((live) => read(collection, live))),
  );
}

/**
 * Reads for each kind of aggregate how many documents are due to be woken or recovered, up to a
 * limit. Documents under manual clocks do not count.
 */
function readDueBacklog(collections: Collections, clock: Clock): Promise<Observation[]> {
  return readDue(collections, { now: clock.now(), kindsOfMoney: [undefined] }, (due) =>
    due.documents.countDocuments(due.filter, { limit: countMax }),
  );
}

/**
 * Reads for the same documents how many seconds the earliest has been due, by kind of money; 0 if
 * none is due.
 */
function readDueAges(collections: Collections, clock: Clock): Promise<Observation[]> {
  const now = clock.now();
  const options = { now, kindsOfMoney: moneyKinds };
  return readDue(collections, options, async ({ documents, filter, field }) => {
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

interface DueOptions {
  readonly now: Date;
  /** Values of `live` to read apart; undefined for both together. */
  readonly kindsOfMoney: readonly (boolean | undefined)[];
}

function readDue(
  collections: Collections,
  { now, kindsOfMoney }: DueOptions,
  read: ReadDue,
): Promise<Observation[]> {
  const kinds: readonly DueKind[] = [
    { kind: 'wake', field: 'dueAt', filter: { timeline: realTimeline, dueAt: { $lte: now } } },
    {
      kind: 'recover',
      field: 'recoverAt',
      filter: { recoverAt: { $gt: new Date(0), $lte: now } },
    },
  ];
  const readOne = async (
    { documents, definition }: Collections[number],
    due: DueKind,
    live: boolean | undefined,
  ): Promise<Observation> => {
    const ofMoney = live === undefined ? {} : { live };
    const filter = { ...due.filter, ...ofMoney };
    return {
      value: await read({ ...due, filter, documents }),
      attributes: {
        'billing.aggregate': definition.aggregate,
        'billing.due_work.kind': due.kind,
        ...(live !== undefined && { 'billing.live': live }),
      },
    };
  };
  return Promise.all(
    collections.flatMap((collection) =>
      kinds
        .filter(({ field }) => collection.definition[field] !== undefined)
        .flatMap((due) => kindsOfMoney.map((live) => readOne(collection, due, live))),
    ),
  );
}
