import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { derivedId, newId } from '@billing/chassis/ids';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { IngestEventsResponse } from '@billing/proto/billing/metering/v1/metering';
import type { ArrivalOrder } from './arrival-order';
import { type CustomerDirectory, type CustomerName, nameKey } from './customer-directory';
import { type EventDocument, type EventStore, toEventDocument } from './event-store';
import { type EventInput, readIngestInput } from './ingest-input';
import type { IngestQueue } from './ingest-queue';
import { type Meter, useMeter } from './meter';
import { findCustomer, type Peers } from './peers';
import { eventRefusal, isSameContent, otherContent, type UsageEvent } from './usage-event';
import { endOfHour, hourOf, isOpenHour, sealAfterMs, type SeriesHour } from './usage-hour';
import type { UsageStore } from './usage-store';
import type { WokenSeries } from './woken-series';

/** What ingest works on. */
export interface IngestParts {
  readonly meters: AggregateCollection<Meter>;
  readonly events: EventStore;
  readonly queue: IngestQueue<EventDocument>;
  readonly directory: CustomerDirectory;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  readonly woken: WokenSeries;
  readonly arrivals: ArrivalOrder;
  readonly peers: Pick<Peers, 'customer'>;
  readonly clock: Clock;
}

/** An event of the batch that may be stored. */
interface Candidate {
  readonly index: number;
  readonly input: EventInput;
  readonly event: UsageEvent;
  readonly document: EventDocument;
}

/** One that is refused, unless it was stored before: a repeat is told what the first one was. */
interface Refused {
  readonly index: number;
  readonly input: EventInput;
  readonly customerId: string | undefined;
  readonly error: string;
}

// Whoever waits longer has no caller any more; isOpenHour counts on it.
const storeMsMax = 60_000;

/** Stores a batch, each event at most once for ever. */
export async function ingest(
  body: Buffer,
  context: CallContext,
  parts: IngestParts,
): Promise<IngestEventsResponse> {
  const { events, ignoredFields } = readIngestInput(parsedBody(body));
  const { candidates, refused } = await sift(events, context, parts);
  const [stored, repeated] = await Promise.all([
    store(candidates, context, parts),
    repeatsAmong(refused, context, parts),
  ]);
  const rejected = [
    ...stored.rejected,
    ...refused.filter((one) => !repeated.has(one)).map(({ index, error }) => ({ index, error })),
  ]
    .toSorted((a, b) => a.index - b.index)
    .map((one) => ({ ...one, eventId: events[one.index]?.eventId }));
  return {
    accepted: stored.accepted,
    duplicates: stored.duplicates + repeated.size,
    rejected,
    ignoredFields: [...ignoredFields],
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parsedBody(body: Buffer): unknown {
  if (body.length === 0) throw invalidInput({ events: ['Required'] });
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new DomainError('invalid_input', 'MALFORMED_JSON', 'Malformed JSON');
  }
}

async function sift(
  events: readonly EventInput[],
  context: CallContext,
  parts: IngestParts,
): Promise<{ candidates: Candidate[]; refused: Refused[] }> {
  const [customers, meters] = await Promise.all([
    knownCustomers(events, context, parts),
    metersOf(events, context, parts),
  ]);
  const arrival = parts.arrivals.take(parts.clock.now(), events.length);
  const candidates: Candidate[] = [];
  const refused: Refused[] = [];
  events.forEach((input, index) => {
    const customerId = customers.get(nameKey(customerName(input)));
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
      properties: input.properties ?? {},
      receivedAt: context.now,
      arrival: arrival + index,
    };
    candidates.push({ index, input, event, document: toEventDocument(context.tenant, event) });
  });
  await fixCounts(candidates, meters, { context, parts });
  return { candidates, refused };
}

function customerName({ customerId, externalCustomerId }: EventInput): CustomerName {
  return customerId === undefined
    ? { kind: 'externalId', value: externalCustomerId ?? '' }
    : { kind: 'id', value: customerId };
}

function knownCustomers(
  events: readonly EventInput[],
  context: CallContext,
  { directory, peers }: IngestParts,
): Promise<Map<string, string>> {
  return directory.find(context.tenant.environmentId, events.map(customerName), (name) =>
    findCustomer(peers, name, context),
  );
}

/** Read for each batch: whoever deletes a meter sees no event of it from then on. */
async function metersOf(
  events: readonly EventInput[],
  context: CallContext,
  { meters }: IngestParts,
): Promise<Map<string, Meter>> {
  const ids = [...new Set(events.map(({ meterId }) => meterId))];
  const found = await Promise.all(ids.map((id) => meters.within(context).find(id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.state.id, one.state]])));
}

/** What a meter counts stays from its first event on. */
async function fixCounts(
  candidates: readonly Candidate[],
  meters: ReadonlyMap<string, Meter>,
  { context, parts }: { context: CallContext; parts: IngestParts },
): Promise<void> {
  const ids = new Set(candidates.map(({ event }) => event.meterId));
  const fresh = [...ids].filter((id) => meters.get(id)?.inUse === false);
  await Promise.all(fresh.map((id) => parts.meters.within(context).mutate(id, useMeter)));
}

function newEventId({ resourceSeed }: CallContext, index: number): string {
  return resourceSeed === undefined ? newId() : derivedId(resourceSeed, 'event', index);
}

interface Stored {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

async function store(
  candidates: readonly Candidate[],
  context: CallContext,
  parts: IngestParts,
): Promise<Stored> {
  if (candidates.length === 0) return { accepted: 0, duplicates: 0, rejected: [] };
  const usage = parts.usageOf(context);
  const startedAt = parts.clock.now();
  const isLate = ({ hour }: SeriesHour) =>
    context.tenant.manualClock || !isOpenHour(hour, startedAt);
  const hours = seriesHours(candidates.map(({ event }) => event));
  const late = hours.filter(isLate);
  const batch = { id: newId(), at: startedAt };
  await usage.beginLate(late, batch);
  const taken = await parts.queue.store(
    candidates.map(({ document }) => document),
    () => {
      const now = parts.clock.now().getTime();
      const latest = Math.min(context.deadline.getTime(), startedAt.getTime() + storeMsMax);
      if (now > latest) throw new DeadlineExceededError();
    },
  );
  const { outcome, known } = await compare(candidates, taken, { context, parts });
  // Somebody who died may have left the total of a stored event's hour behind.
  const doubtful = seriesHours([...known.values()]).filter(isLate);
  await usage.finishLate([...late, ...doubtful], batch.id);
  await parts.woken.wake(usage, {
    environmentId: context.tenant.environmentId,
    series: [...hours, ...doubtful].map((hour) => ({
      ...hour,
      at: isLate(hour) ? startedAt : new Date(endOfHour(hour.hour).getTime() + sealAfterMs),
    })),
  });
  return outcome;
}

function seriesHours(events: readonly UsageEvent[]): SeriesHour[] {
  const hours = new Map<string, SeriesHour>();
  for (const { customerId, meterId, timestamp } of events) {
    const hour = hourOf(timestamp);
    const key = `${customerId}:${meterId}:${String(hour.getTime())}`;
    if (!hours.has(key)) hours.set(key, { customerId, meterId, hour });
  }
  return [...hours.values()];
}

/** Tells repeats from ids that were used for something else: those alone are read back. */
async function compare(
  candidates: readonly Candidate[],
  taken: ReadonlySet<EventDocument>,
  { context, parts }: { context: CallContext; parts: IngestParts },
): Promise<{ outcome: Stored; known: Map<string, UsageEvent> }> {
  const met = candidates.filter(({ document }) => taken.has(document));
  const known = await parts.events.find(
    context.tenant,
    met.map(({ event }) => event.eventId),
  );
  let duplicates = 0;
  const rejected: { index: number; error: string }[] = [];
  for (const { index, input, event } of met) {
    const stored = known.get(event.eventId);
    if (stored === undefined) throw new Error('An event that stood there is gone');
    if (isSameContent(stored, input, event.customerId)) duplicates += 1;
    else rejected.push({ index, error: otherContent });
  }
  const accepted = candidates.length - duplicates - rejected.length;
  return { outcome: { accepted, duplicates, rejected }, known };
}

/** Those that would be refused today, but were stored when they were sent first. */
async function repeatsAmong(
  refused: readonly Refused[],
  context: CallContext,
  { events }: IngestParts,
): Promise<Set<Refused>> {
  const named = refused.filter(
    ({ input, customerId }) => input.eventId !== undefined && customerId !== undefined,
  );
  if (named.length === 0) return new Set();
  const known = await events.find(
    context.tenant,
    named.map(({ input }) => input.eventId ?? ''),
  );
  return new Set(
    named.filter(({ input, customerId }) => {
      const stored = known.get(input.eventId ?? '');
      return stored !== undefined && isSameContent(stored, input, customerId);
    }),
  );
}
