import type { Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type EventCollection, type EventDocument, fromEventDocument } from './event-store';
import type { UsageEvent } from './usage-event';

/** What a list may be narrowed to. */
export interface EventFilter {
  readonly customerId?: string | undefined;
  readonly meterId?: string | undefined;
  readonly eventId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** One page. */
export interface EventPage {
  readonly data: UsageEvent[];
  /** Exact count over all pages. */
  readonly total: number;
}

interface PageWish {
  readonly page: number;
  readonly perPage: number;
}

type Query = Filter<EventDocument>;
type EventPlace = Pick<EventDocument, '_id' | 'timestamp'>;

const endOfTime = new Date(8.64e15);
// With more meters, or further down, the one query for all of them costs less.
const metersMax = 20;
const timesMax = 2_000;

/** Usage events in the order in which people look at them: newest timestamp first, then by id. */
export class EventListStore {
  constructor(private readonly events: EventCollection) {}

  async list(
    { environmentId }: Tenant,
    { filter, ...wish }: { readonly filter: EventFilter } & PageWish,
  ): Promise<EventPage> {
    const { customerId, meterId, eventId, from, to } = filter;
    const query: Query = {
      environmentId,
      ...(eventId !== undefined && { _id: `${environmentId}:${eventId}` }),
      ...(customerId !== undefined && { customerId }),
      ...(meterId !== undefined && { meterId }),
      timestamp: { ...(from !== undefined && { $gte: from }), $lt: to ?? endOfTime },
    };
    if (customerId === undefined || eventId !== undefined) return this.pageOf(query, wish);
    const meterIds =
      meterId === undefined ? await this.metersOf({ environmentId, customerId }) : [meterId];
    const isFar = meterIds.length * wish.page * wish.perPage > timesMax;
    if (isFar || meterIds.length > metersMax) return this.pageOf(query, wish);
    const series = meterIds.map((id) => ({ ...query, meterId: id }));
    const { ids, total } = await this.idsOfPage(series, wish);
    return { data: await this.named(ids, environmentId), total };
  }

  private async pageOf(query: Query, { page, perPage }: PageWish): Promise<EventPage> {
    const [documents, total] = await retryTransient(() =>
      Promise.all([
        this.events
          .find(query)
          .sort({ timestamp: -1, _id: -1 })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
        this.events.countDocuments(query),
      ]),
    );
    return { data: documents.map(fromEventDocument), total };
  }

  /** Asked of the events themselves: a series is written down after its first event. */
  private async metersOf(query: { environmentId: string; customerId: string }): Promise<string[]> {
    return retryTransient(() => this.events.distinct('meterId', query));
  }

  /**
   * What is on the same page, put together from the series that make up the list. Each is read in the order of its index, which knows times
   * and no ids: so first it is found out which times the page spans, then which of their events are on it.
   */
  private async idsOfPage(
    series: readonly Query[],
    { page, perPage }: PageWish,
  ): Promise<{ ids: string[]; total: number }> {
    const end = page * perPage;
    const [times, counts] = await Promise.all([
      Promise.all(series.map((query) => this.newestTimes(query, end))),
      Promise.all(series.map((query) => retryTransient(() => this.events.countDocuments(query)))),
    ]);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const merged = times.flat().toSorted((a, b) => b.getTime() - a.getTime());
    const skipped = end - perPage;
    const [newest, oldest] = [merged[skipped], merged.slice(0, end).at(-1)];
    if (newest === undefined || oldest === undefined) return { ids: [], total };
    const within = { $gte: oldest, $lte: newest };
    const places = await Promise.all(series.map((query) => this.placesOf(query, within)));
    const newer = merged.findIndex((time) => time.getTime() === newest.getTime());
    const ids = places
      .flat()
      .toSorted(compareNewestFirst)
      .slice(skipped - newer, end - newer)
      .map(({ _id }) => _id);
    return { ids, total };
  }

  private async newestTimes(query: Query, limit: number): Promise<Date[]> {
    const found = await retryTransient(() =>
      this.events
        .find(query)
        .sort({ timestamp: -1 })
        .limit(limit)
        .project<Pick<EventDocument, 'timestamp'>>({ _id: 0, timestamp: 1 })
        .toArray(),
    );
    return found.map(({ timestamp }) => timestamp);
  }

  private async placesOf(
    query: Query,
    timestamp: { readonly $gte: Date; readonly $lte: Date },
  ): Promise<EventPlace[]> {
    return retryTransient(() =>
      this.events
        .find({ ...query, timestamp })
        .project<EventPlace>({ timestamp: 1 })
        .toArray(),
    );
  }

  private async named(ids: readonly string[], environmentId: string): Promise<UsageEvent[]> {
    if (ids.length === 0) return [];
    const found = await retryTransient(() =>
      this.events.find({ _id: { $in: [...ids] }, environmentId }).toArray(),
    );
    return found.toSorted(compareNewestFirst).map(fromEventDocument);
  }
}

function compareNewestFirst(a: EventPlace, b: EventPlace): number {
  const byTime = b.timestamp.getTime() - a.timestamp.getTime();
  // As the database orders texts: by their bytes.
  return byTime === 0 ? Buffer.compare(Buffer.from(b._id), Buffer.from(a._id)) : byTime;
}
