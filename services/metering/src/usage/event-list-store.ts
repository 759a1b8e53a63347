import type { Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
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
}

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

/** Usage events in list order: newest timestamp first, then by id. */
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
        data: await atPlaces(await placesOfPage(filled, pageRequest), environmentId),
        total,
      };
    }
    const wholes = collections
      .filter((events) => filled.some((source) => source.events === events))
      .map((events) => ({ events, query }));
    return { data: await rowsOf(wholes, pageRequest, environmentId), total };
  }
}

async function countAll(sources: readonly Source[]): Promise<number[]> {
  return Promise.all(
    sources.map(({ events, query }) => retryTransient(() => events.countDocuments(query))),
  );
}

async function rowsOf(
  sources: readonly Source[],
  { page, perPage }: PageRequest,
  environmentId: string,
): Promise<UsageEvent[]> {
  const skipped = (page - 1) * perPage;
  const [only, ...others] = sources;
  if (only === undefined) return [];
  if (others.length > 0) {
    const places = await mergedPlaces(sources, { skipped, limit: perPage });
    return atPlaces(places, environmentId);
  }
  const documents = await retryTransient(() =>
    only.events
      .find(only.query)
      .sort({ timestamp: -1, _id: -1 })
      .skip(skipped)
      .limit(perPage)
      .toArray(),
  );
  return documents.map(fromEventDocument);
}

/** Places of a page, merged from the generations. Reads the positions of all events before it. */
async function mergedPlaces(
  sources: readonly Source[],
  { skipped, limit }: { readonly skipped: number; readonly limit: number },
): Promise<Place[]> {
  const end = skipped + limit;
  const streams = sources.map(({ events, query }) => {
    const cursor = events
      .find(query)
      .sort({ timestamp: -1, _id: -1 })
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
      const [newest] = heads
        .flatMap((head) => (head.next === null ? [] : [{ head, next: head.next }]))
        .toSorted((a, b) => compareNewestFirst(a.next, b.next));
      if (newest === undefined) break;
      const { head, next } = newest;
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
  { page, perPage }: PageRequest,
): Promise<Place[]> {
  const end = page * perPage;
  const times = await Promise.all(sources.map((source) => newestTimes(source, end)));
  const merged = times.flat().toSorted((a, b) => b.getTime() - a.getTime());
  const skipped = end - perPage;
  const [newest, oldest] = [merged[skipped], merged.slice(0, end).at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const within = { $gte: oldest, $lte: newest };
  const places = await Promise.all(sources.map((source) => placesOf(source, within)));
  const newer = merged.findIndex((time) => time.getTime() === newest.getTime());
  return places
    .flat()
    .toSorted(compareNewestFirst)
    .slice(skipped - newer, end - newer);
}

async function newestTimes({ events, query }: Source, limit: number): Promise<Date[]> {
  const found = await retryTransient(() =>
    events
      .find(query)
      .sort({ timestamp: -1 })
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

async function atPlaces(places: readonly Place[], environmentId: string): Promise<UsageEvent[]> {
  const byGeneration = Map.groupBy(places, ({ events }) => events);
  const found = await Promise.all(
    [...byGeneration].map(([events, own]) => {
      const _id = { $in: own.map((place) => place._id) };
      return retryTransient(() => events.find({ _id, environmentId }).toArray());
    }),
  );
  return found.flat().toSorted(compareNewestFirst).map(fromEventDocument);
}

function compareNewestFirst(a: EventPosition, b: EventPosition): number {
  const byTime = b.timestamp.getTime() - a.timestamp.getTime();
  // Same order as the database, which compares texts by bytes.
  return byTime === 0 ? Buffer.compare(Buffer.from(b._id), Buffer.from(a._id)) : byTime;
}
