import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import { type Meter, markInUse } from '../meter/meter';
import type { CustomerDirectory } from '../peer/customer-directory';
import { findCustomers } from '../peer/customers';
import type { Peers } from '../peers';
import type { UsageEvent } from '../usage/event';
import {
  type EventDocument,
  type EventStore,
  eventIdOf,
  toEventDocument,
} from '../usage/event-store';
import { endOfHour, isOpenHour, sealAfterMs, type SeriesHour, seriesHours } from '../usage/hour';
import type { SealScheduleCache } from '../usage/seal-schedule';
import type { UsageStore } from '../usage/store';
import type { ArrivalOrder } from './arrival-order';
import { BatchCustomers } from './batch-customers';
import { readIngestBody } from './body';
import { eventRefusal, idReused, isSameContent } from './event-refusal';
import { type EventInput, readIngestInput } from './input';
import type { IngestQueue } from './queue-worker';

export interface IngestDependencies {
  readonly meters: AggregateCollection<Meter>;
  readonly events: EventStore;
  readonly queue: IngestQueue<EventDocument>;
  readonly directory: CustomerDirectory;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  readonly sealSchedule: SealScheduleCache;
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

/** An event of the batch that may be stored. */
interface Candidate {
  readonly index: number;
  readonly document: EventDocument;
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
// Limit on the wait in the queue, longer than any caller's deadline. `isOpenHour` relies on it: an
// hour that is open when the batch arrives must not be sealed before the insert.
const storeMsMax = 60_000;

/** Stores a batch, each event at most once. */
export async function ingest(
  body: Buffer,
  context: CallContext,
  dependencies: IngestDependencies,
): Promise<IngestResult> {
  const { json, exactQuantities } = readIngestBody(body);
  const { events, ignoredFields } = readIngestInput(json, exactQuantities);
  const { candidates, refused } = await validateEvents(events, context, dependencies);
  const [stored, replayed] = await Promise.all([
    store(candidates, events, { context, dependencies }),
    findReplays(refused, context, dependencies),
  ]);
  const rejected = [
    ...stored.rejected,
    ...refused.filter((one) => !replayed.has(one)).map(({ index, error }) => ({ index, error })),
  ]
    .toSorted((a, b) => a.index - b.index)
    .map((one) => ({ ...one, eventId: events[one.index]?.eventId }));
  return {
    accepted: stored.accepted,
    duplicates: stored.duplicates + replayed.size,
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
  const arrival = dependencies.arrivals.reserve(dependencies.clock.now(), events.length);
  const candidates: Candidate[] = [];
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
    candidates.push({ index, document: toEventDocument(context.tenant, event) });
  });
  await markMetersInUse(candidates, meters, { context, dependencies });
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

/** Marks the meters of first events as in use, so that their aggregation cannot be changed. */
async function markMetersInUse(
  candidates: readonly Candidate[],
  meters: ReadonlyMap<string, Meter>,
  { context, dependencies }: { context: CallContext; dependencies: IngestDependencies },
): Promise<void> {
  const isUnused = (id: string) => meters.get(id)?.inUse === false;
  if (![...meters.keys()].some(isUnused)) return;
  const ids = new Set(candidates.map(({ document }) => document.meterId));
  const unused = [...ids].filter(isUnused);
  await Promise.all(unused.map((id) => dependencies.meters.within(context).mutate(id, markInUse)));
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
  events: readonly EventInput[],
  { context, dependencies }: { context: CallContext; dependencies: IngestDependencies },
): Promise<Stored> {
  if (candidates.length === 0) return { accepted: 0, duplicates: 0, rejected: [] };
  const usage = dependencies.usageOf(context);
  const startedAt = dependencies.clock.now();
  // An hour that may be sealed already: with a manual clock, any hour.
  const isLate = ({ hour }: SeriesHour) =>
    context.tenant.manualClock || !isOpenHour(hour, startedAt);
  const documents = candidates.map(({ document }) => document);
  const hours = seriesHours(documents);
  const late = hours.filter(isLate);
  const batch = { id: newId(), at: startedAt };
  await usage.beginLate(late, batch);
  const refuseIfTooLate = () => {
    const now = dependencies.clock.now().getTime();
    const latest = Math.min(context.deadline.getTime(), startedAt.getTime() + storeMsMax);
    if (now > latest) throw new DeadlineExceededError();
  };
  const duplicates = await dependencies.queue.store(documents, refuseIfTooLate);
  const existing =
    duplicates.size === 0 ? [] : candidates.filter(({ document }) => duplicates.has(document));
  const { replayed, rejected, known } = await separateDuplicates(existing, events, {
    context,
    dependencies,
  });
  // The call that stored a duplicate may have crashed and left a total without its event.
  const possiblyStale = seriesHours(known).filter(isLate);
  await usage.finishLate([...late, ...possiblyStale], batch.id);
  await usage.reopenDays(possiblyStale);
  await dependencies.sealSchedule.schedule(usage, {
    environmentId: context.tenant.environmentId,
    series: [...hours, ...possiblyStale].map((hour) => ({
      ...hour,
      at: isLate(hour) ? startedAt : new Date(endOfHour(hour.hour).getTime() + sealAfterMs),
    })),
  });
  return { accepted: candidates.length - existing.length, duplicates: replayed, rejected };
}

/** Separates duplicates from ids that were used for another event. */
async function separateDuplicates(
  existing: readonly Candidate[],
  events: readonly EventInput[],
  { context, dependencies }: { context: CallContext; dependencies: IngestDependencies },
): Promise<{ replayed: number; rejected: Stored['rejected']; known: readonly UsageEvent[] }> {
  const known = await dependencies.events.find(
    context.tenant,
    existing.map(({ document }) => eventIdOf(document)),
  );
  const rejected: { index: number; error: string }[] = [];
  for (const { index, document } of existing) {
    const stored = known.get(eventIdOf(document));
    const input = events[index];
    if (stored === undefined || input === undefined) {
      throw new Error('Stored event not found');
    }
    if (!isSameContent(stored, input, document.customerId)) {
      rejected.push({ index, error: idReused });
    }
  }
  return { replayed: existing.length - rejected.length, rejected, known: [...known.values()] };
}

/** Refused events that were accepted when they were first sent. */
async function findReplays(
  refused: readonly Refused[],
  context: CallContext,
  { events }: IngestDependencies,
): Promise<Set<Refused>> {
  const identified = refused.filter(
    ({ input, customerId }) => input.eventId !== undefined && customerId !== undefined,
  );
  if (identified.length === 0) return new Set();
  const known = await events.find(
    context.tenant,
    identified.map(({ input }) => input.eventId ?? ''),
  );
  return new Set(
    identified.filter(({ input, customerId }) => {
      const stored = known.get(input.eventId ?? '');
      return stored !== undefined && isSameContent(stored, input, customerId);
    }),
  );
}
