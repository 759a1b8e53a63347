import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, mayHaveRun, newResourceId } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import type { Metrics } from '@billing/chassis/metrics';
import type { CountedEvents } from '../flush/counted';
import type { FlushItem } from '../flush/store-flush';
import type { WokenSeries } from '../fold/fold-schedule-store';
import type { FoldWakes } from '../fold/fold-wakes';
import { firstArrivalOf } from '../generation/generation';
import { type Meter, markInUse } from '../meter/meter';
import type { CustomerDirectory } from '../peer/customer-directory';
import { findCustomers } from '../peer/customers';
import type { Peers } from '../peer/peers';
import type { UsageEvent } from '../usage/event';
import {
  type EventCollections,
  type EventDocument,
  fromEventDocument,
  toEventDocument,
} from '../usage/event-store';
import type { ArrivalOrder } from './arrival-order';
import { BatchCustomers } from './batch-customers';
import { readIngestBody } from './body';
import { eventRefusal, idReused, isSameContent } from './event-refusal';
import { type EventInput, readIngestInput } from './input';
import type { IngestQueue } from './ingest-queue';
import { requireCounted } from './require-counted';
import { requireKnown } from './require-known';

export interface IngestDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly events: EventCollections;
  readonly queue: IngestQueue<NewEvent, EventDocument>;
  readonly counted: CountedEvents;
  readonly foldWakes: FoldWakes<WokenSeries>;
  readonly metrics: Pick<Metrics, 'recordUsageEvents'>;
  readonly directory: CustomerDirectory;
  readonly arrivals: ArrivalOrder;
  readonly peers: Pick<Peers, 'customer'>;
  readonly clock: Clock;
}

/** Result of a batch. */
interface IngestResult {
  readonly accepted: number;
  /** Stored before with the same content. */
  readonly duplicates: number;
  /** In order of the batch. */
  readonly rejected: { index: number; eventId: string | undefined; error: string }[];
  readonly ignoredFields: string[];
}

/** An event to store, with the rules by which it counts. */
export type NewEvent = FlushItem;

/** An event of the batch that may be stored. */
interface Candidate extends NewEvent {
  readonly index: number;
}

/** A stored event that a batch repeats. */
interface Repeat {
  readonly index: number;
  readonly stored: EventDocument;
}

/** A refused event. If it was stored earlier, the response repeats the earlier result. */
interface Refused {
  readonly index: number;
  readonly input: EventInput;
  readonly customerId: string | undefined;
  readonly error: string;
}

// Shared by all events without properties.
const noProperties: UsageEvent['properties'] = {};

/** Stores a batch, each event at most once. */
export async function ingest(
  body: Buffer,
  context: CallContext,
  dependencies: IngestDependencies,
): Promise<IngestResult> {
  const startedAt = dependencies.clock.now();
  const { json, exactQuantities } = readIngestBody(body);
  const { events, ignoredFields } = readIngestInput(json, exactQuantities);
  const { candidates, refused } = await validateEvents(events, context, dependencies);
  const [stored, replayed] = await Promise.all([
    store(candidates, { context, dependencies }),
    findReplays(refused, context, dependencies),
  ]);
  await requireKnown(new Set(candidates.map(({ document }) => document.customerId)), {
    sinceMs: dependencies.clock.now().getTime() - startedAt.getTime(),
    findCustomers: (names) => findCustomers(dependencies.peers, names, context),
  });
  const rejected = [
    ...stored.rejected,
    ...refused.filter((one) => !replayed.has(one)).map(({ index, error }) => ({ index, error })),
  ]
    .toSorted((a, b) => a.index - b.index)
    .map((one) => ({ ...one, eventId: events[one.index]?.eventId }));
  const { accepted } = stored;
  const duplicates = stored.duplicates + replayed.size;
  const { metrics } = dependencies;
  metrics.recordUsageEvents('ACCEPTED', accepted);
  metrics.recordUsageEvents('DUPLICATE', duplicates);
  metrics.recordUsageEvents('REJECTED', rejected.length);
  return {
    accepted,
    duplicates,
    rejected,
    ignoredFields: [...ignoredFields],
  };
}

async function validateEvents(
  events: readonly EventInput[],
  context: CallContext,
  dependencies: IngestDependencies,
): Promise<{ candidates: Candidate[]; refused: Refused[] }> {
  const [customers, meters] = await Promise.all([
    knownCustomers(events, context, dependencies),
    metersOf(events, context, dependencies),
  ]);
  const realNow = dependencies.clock.now();
  const arrival = dependencies.arrivals.reserve(realNow, events.length);
  const accepted: Omit<Candidate, 'meter'>[] = [];
  const refused: Refused[] = [];
  events.forEach((input, index) => {
    const customerId = customers.idOf(input);
    const meter = meters.get(input.meterId);
    const error = eventRefusal(input, { customerId, meter, now: context.now });
    if (error !== undefined || customerId === undefined) {
      refused.push({ index, input, customerId, error: error ?? 'Customer not found' });
      return;
    }
    const event = {
      eventId: input.eventId ?? newEventId(context, index),
      customerId,
      meterId: input.meterId,
      quantity: input.quantity,
      timestamp: input.timestamp ?? context.now,
      properties: input.properties ?? noProperties,
      receivedAt: context.now,
      arrival: arrival + index,
    };
    const sent = {
      timestamp: event.timestamp,
      isRepeatable: input.eventId !== undefined || mayHaveRun(context),
      hasManualClock: context.tenant.manualClock,
    };
    accepted.push({
      index,
      document: toEventDocument(context.tenant, event),
      firstArrivalMs: firstArrivalOf(sent, realNow),
      isSame: (stored) => isSameContent(fromEventDocument(stored), input, customerId),
    });
  });
  const used = await markMetersInUse(accepted, meters, { context, dependencies });
  const candidates = accepted.flatMap((one): Candidate[] => {
    const meter = used.get(one.document.meterId);
    return meter === undefined ? [] : [{ ...one, meter }];
  });
  return { candidates, refused };
}

function knownCustomers(
  events: readonly EventInput[],
  context: CallContext,
  { directory, peers }: IngestDependencies,
): Promise<BatchCustomers> {
  const { environmentId } = context.tenant;
  return BatchCustomers.of(events, (names) =>
    directory.find(environmentId, names, (unknown) => findCustomers(peers, unknown, context)),
  );
}

/** Read for each batch, so that no event is accepted after its meter was deleted. */
async function metersOf(
  events: readonly EventInput[],
  context: CallContext,
  { meters }: IngestDependencies,
): Promise<Map<string, Meter>> {
  const ids = new Set<string>();
  for (const { meterId } of events) ids.add(meterId);
  const found = await meters.within(context).findAll(ids);
  return new Map(found.map(({ state }) => [state.id, state]));
}

/**
 * Marks the meters of first events as in use, so that their aggregation cannot be changed. Returns
 * the meters as they count from then on.
 */
async function markMetersInUse(
  accepted: readonly Pick<Candidate, 'document'>[],
  meters: ReadonlyMap<string, Meter>,
  { context, dependencies }: { context: CallContext; dependencies: IngestDependencies },
): Promise<ReadonlyMap<string, Meter>> {
  const isUnused = (id: string) => meters.get(id)?.inUse === false;
  if (![...meters.keys()].some(isUnused)) return meters;
  const ids = new Set(accepted.map(({ document }) => document.meterId));
  const unused = [...ids].filter(isUnused);
  const marked = await Promise.all(
    unused.map((id) => dependencies.meters.within(context).mutate(id, markInUse)),
  );
  return new Map([...meters, ...marked.map(({ state }) => [state.id, state] as const)]);
}

function newEventId(context: CallContext, index: number): string {
  return newResourceId(context, `event ${String(index)}`);
}

interface Stored {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

async function store(
  candidates: readonly Candidate[],
  { context, dependencies }: { context: CallContext; dependencies: IngestDependencies },
): Promise<Stored> {
  if (candidates.length === 0) return { accepted: 0, duplicates: 0, rejected: [] };
  const startedAt = dependencies.clock.now();
  const refuseIfTooLate = () => {
    if (dependencies.clock.now() > context.deadline) throw new DeadlineExceededError();
  };
  const keys = new Set(candidates.map(({ document }) => document.k));
  const woken = [...keys].map((k) => ({ k, tenant: context.tenant }));
  await dependencies.foldWakes.wake(woken, startedAt);
  const repeats = await dependencies.queue.store(candidates, refuseIfTooLate);
  const existing = candidates.flatMap((candidate) => {
    const stored = repeats.get(candidate);
    return stored === undefined ? [] : [{ ...candidate, stored }];
  });
  const { replayed, rejected } = separateDuplicates(existing);
  // An event that this batch repeats within itself was counted with the batch.
  const earlier = replayed.filter(({ document, stored }) => stored.flush !== document.flush);
  await requireCounted(
    earlier.map(({ stored }) => stored),
    { counted: dependencies.counted, sleep },
  );
  return {
    accepted: candidates.length - existing.length,
    duplicates: replayed.length,
    rejected,
  };
}

/** Separates duplicates from ids that were used for another event. */
function separateDuplicates(existing: readonly (Candidate & Repeat)[]): {
  replayed: readonly (Candidate & Repeat)[];
  rejected: Stored['rejected'];
} {
  const isReplayed = ({ isSame, stored }: Candidate & Repeat) => isSame(stored);
  return {
    replayed: existing.filter(isReplayed),
    rejected: existing
      .filter((one) => !isReplayed(one))
      .map(({ index }) => ({ index, error: idReused })),
  };
}

/** Refused events that were accepted when they were first sent. */
async function findReplays(
  refused: readonly Refused[],
  context: CallContext,
  { events, counted }: IngestDependencies,
): Promise<Set<Refused>> {
  const identified = refused.filter(
    ({ input, customerId }) => input.eventId !== undefined && customerId !== undefined,
  );
  if (identified.length === 0) return new Set();
  const known = await events.find(
    context.tenant,
    identified.map(({ input }) => input.eventId ?? ''),
  );
  const replayed = identified.flatMap((refused): { refused: Refused; stored: EventDocument }[] => {
    const { input, customerId } = refused;
    const stored = known
      .get(input.eventId ?? '')
      ?.find((one) => isSameContent(fromEventDocument(one), input, customerId));
    return stored === undefined ? [] : [{ refused, stored }];
  });
  await requireCounted(
    replayed.map(({ stored }) => stored),
    { counted, sleep },
  );
  return new Set(replayed.map(({ refused }) => refused));
}
