import type { Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type ScanPosition, scanPage, type ScanRange } from '@billing/chassis/scan-page';
import type { UsageEvent } from './event';
import {
  type EventCollection,
  type EventCollections,
  type EventDocument,
  fromEventDocument,
} from './event-store';

/** Filters of a list. */
export interface EventFilter {
  readonly customerId?: string | undefined;
  readonly meterId?: string | undefined;
  readonly eventId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** One page of a list. */
export interface EventPage {
  readonly data: UsageEvent[];
  /** Exact count over all pages. */
  readonly total: number;
}

interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst?: boolean;
}

type Direction = 1 | -1;

type Query = Filter<EventDocument>;
type EventPosition = Pick<EventDocument, '_id' | 'timestamp'>;

/** Some events of one generation. */
interface Source {
  readonly events: EventCollection;
  readonly query: Query;
}

/** Place of an event. An id may be used again after its time, in another generation. */
interface Place extends EventPosition {
  readonly events: EventCollection;
}

const endOfTime = new Date(8.64e15);
// With more meters, or further down, the single query costs less.
const metersMax = 20;
const timesMax = 2_000;
const cursorBatch = 1_000;

/** Usage events in list order: by timestamp, then by id; newest or oldest first. */
export class EventListStore {
  constructor(private readonly events: Pick<EventCollections, 'holding'>) {}

  async list(
    tenant: Tenant,
    { filter, ...pageRequest }: { readonly filter: EventFilter } & PageRequest,
  ): Promise<EventPage> {
    const { environmentId } = tenant;
    const { customerId, meterId, eventId, from, to } = filter;
    const query: Query = {
      environmentId,
      ...(eventId !== undefined && { _id: `${environmentId}:${eventId}` }),
      ...(customerId !== undefined && { customerId }),
      ...(meterId !== undefined && { meterId }),
      timestamp: { ...(from !== undefined && { $gte: from }), $lt: to ?? endOfTime },
    };
    const collections = await this.events.holding(tenant, { start: from, end: to });
    const series =
      customerId === undefined || eventId !== undefined
        ? undefined
        : await seriesOf(collections, query, { environmentId, customerId, meterId });
    const sources = (series ?? [query]).flatMap((one) =>
      collections.map((events) => ({ events, query: one })),
    );
    const counts = await countAll(sources);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const end = pageRequest.page * pageRequest.perPage;
    if (end - pageRequest.perPage >= total) return { data: [], total };
    const filled = sources.filter((_source, index) => counts[index] !== 0);
    const times = counts.reduce((sum, count) => sum + Math.min(count, end), 0);
    if (series !== undefined && times <= timesMax) {
      return {
        data: await atPlaces(await placesOfPage(filled, pageRequest), {
          environmentId,
          direction: directionOf(pageRequest),
        }),
        total,
      };
    }
    const wholes = collections
      .filter((events) => filled.some((source) => source.events === events))
      .map((events) => ({ events, query }));
    return { data: await rowsOf(wholes, pageRequest, environmentId), total };
  }
}

/** An event with its position in a scan. */
export interface ScannedEvent {
  readonly event: UsageEvent;
  readonly position: ScanPosition;
}

/**
 * The next events of an environment, by timestamp, then by id. Each generation that may have them
 * is asked, and their answers are merged.
 */
export async function scanEvents(
  collections: Pick<EventCollections, 'holding'>,
  range: ScanRange,
  { tenant, limit }: { readonly tenant: Tenant; readonly limit: number },
): Promise<ScannedEvent[]> {
  const { environmentId } = tenant;
  const start = range.after?.at ?? range.from;
  let found: EventDocument[] = [];
  let end = range.to;
  for (const events of await collections.holding(tenant, { start, end })) {
    const wanted = { filter: { environmentId }, by: 'timestamp', limit };
    const own = await scanPage(events, wanted, { ...range, to: end });
    found = [...found, ...own].sort((a, b) => compare(a, b, 1)).slice(0, limit);
    // Later events of the other generations are not on this page.
    const last = found[limit - 1];
    if (last !== undefined) end = new Date(last.timestamp.getTime() + 1);
  }
  return found.map((document) => ({
    event: fromEventDocument(document),
    position: { at: document.timestamp, id: document._id },
  }));
}

async function countAll(sources: readonly Source[]): Promise<number[]> {
  return Promise.all(
    sources.map(({ events, query }) => retryTransient(() => events.countDocuments(query))),
  );
}

async function rowsOf(
  sources: readonly Source[],
  pageRequest: PageRequest,
  environmentId: string,
): Promise<UsageEvent[]> {
  const { page, perPage } = pageRequest;
  const direction = directionOf(pageRequest);
  const skipped = (page - 1) * perPage;
  const [only, ...others] = sources;
  if (only === undefined) return [];
  if (others.length > 0) {
    const places = await mergedPlaces(sources, { skipped, limit: perPage, direction });
    return atPlaces(places, { environmentId, direction });
  }
  const documents = await retryTransient(() =>
    only.events
      .find(only.query)
      .sort({ timestamp: direction, _id: direction })
      .skip(skipped)
      .limit(perPage)
      .toArray(),
  );
  return documents.map(fromEventDocument);
}

/** Places of a page, merged from the generations. Reads the positions of all events before it. */
async function mergedPlaces(
  sources: readonly Source[],
  {
    skipped,
    limit,
    direction,
  }: { readonly skipped: number; readonly limit: number; readonly direction: Direction },
): Promise<Place[]> {
  const end = skipped + limit;
  const streams = sources.map(({ events, query }) => {
    const cursor = events
      .find(query)
      .sort({ timestamp: direction, _id: direction })
      .limit(end)
      .project<EventPosition>({ timestamp: 1 })
      .batchSize(Math.min(end, cursorBatch));
    return { events, cursor };
  });
  try {
    const heads = await Promise.all(
      streams.map(async (stream) => ({ ...stream, next: await stream.cursor.next() })),
    );
    const places: Place[] = [];
    for (let place = 0; place < end; place += 1) {
      const [first] = heads
        .flatMap((head) => (head.next === null ? [] : [{ head, next: head.next }]))
        .toSorted((a, b) => compare(a.next, b.next, direction));
      if (first === undefined) break;
      const { head, next } = first;
      if (place >= skipped) places.push({ ...next, events: head.events });
      head.next = await head.cursor.next();
    }
    return places;
  } finally {
    await Promise.all(streams.map(({ cursor }) => cursor.close()));
  }
}

/** The query for each meter that the customer uses; undefined if there are too many. */
async function seriesOf(
  collections: readonly EventCollection[],
  query: Query,
  {
    meterId,
    ...customer
  }: { environmentId: string; customerId: string; meterId: string | undefined },
): Promise<Query[] | undefined> {
  const meterIds = meterId === undefined ? await metersOf(collections, customer) : [meterId];
  if (meterIds.length > metersMax) return undefined;
  return meterIds.map((id) => ({ ...query, meterId: id }));
}

/** Reads the events, not the series: a series may have no events left in the collections. */
async function metersOf(
  collections: readonly EventCollection[],
  query: { environmentId: string; customerId: string },
): Promise<string[]> {
  const found = await Promise.all(
    collections.map((events) => retryTransient(() => events.distinct('meterId', query))),
  );
  return [...new Set(found.flat())];
}

/**
 * Places of the events of a page, merged from the sources of the list. Each source is read in index
 * order, which has timestamps and no ids: so the first step finds the timestamps that the page
 * spans, the second the events on it.
 */
async function placesOfPage(
  sources: readonly Source[],
  pageRequest: PageRequest,
): Promise<Place[]> {
  const { page, perPage } = pageRequest;
  const direction = directionOf(pageRequest);
  const end = page * perPage;
  const found = sources.map((source) => firstTimes(source, { limit: end, direction }));
  const times = (await Promise.all(found)).flat();
  const merged = times.toSorted((a, b) => direction * (a.getTime() - b.getTime()));
  const skipped = end - perPage;
  const [first, last] = [merged[skipped], merged.slice(0, end).at(-1)];
  if (first === undefined || last === undefined) return [];
  const within = direction === 1 ? { $gte: first, $lte: last } : { $gte: last, $lte: first };
  const places = await Promise.all(sources.map((source) => placesOf(source, within)));
  const before = merged.findIndex((time) => time.getTime() === first.getTime());
  return places
    .flat()
    .toSorted((a, b) => compare(a, b, direction))
    .slice(skipped - before, end - before);
}

async function firstTimes(
  { events, query }: Source,
  { limit, direction }: { readonly limit: number; readonly direction: Direction },
): Promise<Date[]> {
  const found = await retryTransient(() =>
    events
      .find(query)
      .sort({ timestamp: direction })
      .limit(limit)
      .project<Pick<EventDocument, 'timestamp'>>({ _id: 0, timestamp: 1 })
      .toArray(),
  );
  return found.map(({ timestamp }) => timestamp);
}

async function placesOf(
  { events, query }: Source,
  timestamp: { readonly $gte: Date; readonly $lte: Date },
): Promise<Place[]> {
  const found = await retryTransient(() =>
    events
      .find({ ...query, timestamp })
      .project<EventPosition>({ timestamp: 1 })
      .toArray(),
  );
  return found.map((position) => ({ ...position, events }));
}

async function atPlaces(
  places: readonly Place[],
  { environmentId, direction }: { readonly environmentId: string; readonly direction: Direction },
): Promise<UsageEvent[]> {
  const byGeneration = Map.groupBy(places, ({ events }) => events);
  const found = await Promise.all(
    [...byGeneration].map(([events, own]) => {
      const _id = { $in: own.map((place) => place._id) };
      return retryTransient(() => events.find({ _id, environmentId }).toArray());
    }),
  );
  return found
    .flat()
    .toSorted((a, b) => compare(a, b, direction))
    .map(fromEventDocument);
}

function directionOf({ oldestFirst = false }: PageRequest): Direction {
  return oldestFirst ? 1 : -1;
}

function compare(a: EventPosition, b: EventPosition, direction: Direction): number {
  const byTime = a.timestamp.getTime() - b.timestamp.getTime();
  // Same order as the database, which compares texts by bytes.
  const byId = () => Buffer.compare(Buffer.from(a._id), Buffer.from(b._id));
  return direction * (byTime === 0 ? byId() : byTime);
}
