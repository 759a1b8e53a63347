import type { Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import type { UsageEvent } from './event';
import { type EventCollection, type EventDocument, fromEventDocument } from './event-store';

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

const endOfTime = new Date(8.64e15);
// With more meters, or further down, the single query costs less.
const metersMax = 20;
const timesMax = 2_000;

/** Usage events in list order: newest timestamp first, then by id. */
export class EventListStore {
  constructor(private readonly events: EventCollection) {}

  async list(
    { environmentId }: Tenant,
    { filter, ...pageRequest }: { readonly filter: EventFilter } & PageRequest,
  ): Promise<EventPage> {
    const { customerId, meterId, eventId, from, to } = filter;
    const query: Query = {
      environmentId,
      ...(eventId !== undefined && { _id: `${environmentId}:${eventId}` }),
      ...(customerId !== undefined && { customerId }),
      ...(meterId !== undefined && { meterId }),
      timestamp: { ...(from !== undefined && { $gte: from }), $lt: to ?? endOfTime },
    };
    const series =
      customerId === undefined || eventId !== undefined
        ? undefined
        : await this.seriesOf(query, { environmentId, customerId, meterId });
    if (series === undefined) {
      const [data, total] = await Promise.all([this.rowsOf(query, pageRequest), this.count(query)]);
      return { data, total };
    }
    const counts = await Promise.all(series.map((one) => this.count(one)));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const end = pageRequest.page * pageRequest.perPage;
    const times = counts.reduce((sum, count) => sum + Math.min(count, end), 0);
    if (end - pageRequest.perPage >= total) return { data: [], total };
    if (times > timesMax) return { data: await this.rowsOf(query, pageRequest), total };
    const ids = await this.idsOfPage(series, pageRequest);
    return { data: await this.named(ids, environmentId), total };
  }

  private async rowsOf(query: Query, { page, perPage }: PageRequest): Promise<UsageEvent[]> {
    const documents = await retryTransient(() =>
      this.events
        .find(query)
        .sort({ timestamp: -1, _id: -1 })
        .skip((page - 1) * perPage)
        .limit(perPage)
        .toArray(),
    );
    return documents.map(fromEventDocument);
  }

  private async count(query: Query): Promise<number> {
    return retryTransient(() => this.events.countDocuments(query));
  }

  /** The query for each meter that the customer uses; undefined if there are too many. */
  private async seriesOf(
    query: Query,
    {
      meterId,
      ...customer
    }: { environmentId: string; customerId: string; meterId: string | undefined },
  ): Promise<Query[] | undefined> {
    const meterIds = meterId === undefined ? await this.metersOf(customer) : [meterId];
    if (meterIds.length > metersMax) return undefined;
    return meterIds.map((id) => ({ ...query, meterId: id }));
  }

  /** Reads the events, not the series: a series is stored after its first event. */
  private async metersOf(query: { environmentId: string; customerId: string }): Promise<string[]> {
    return retryTransient(() => this.events.distinct('meterId', query));
  }

  /**
   * Ids of the events of a page, merged from the series of the list. Each series is read in index
   * order, which has timestamps and no ids: so the first step finds the timestamps that the page
   * spans, the second the events on it.
   */
  private async idsOfPage(
    series: readonly Query[],
    { page, perPage }: PageRequest,
  ): Promise<string[]> {
    const end = page * perPage;
    const times = await Promise.all(series.map((query) => this.newestTimes(query, end)));
    const merged = times.flat().toSorted((a, b) => b.getTime() - a.getTime());
    const skipped = end - perPage;
    const [newest, oldest] = [merged[skipped], merged.slice(0, end).at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const within = { $gte: oldest, $lte: newest };
    const places = await Promise.all(series.map((query) => this.placesOf(query, within)));
    const newer = merged.findIndex((time) => time.getTime() === newest.getTime());
    return places
      .flat()
      .toSorted(compareNewestFirst)
      .slice(skipped - newer, end - newer)
      .map(({ _id }) => _id);
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
  ): Promise<EventPosition[]> {
    return retryTransient(() =>
      this.events
        .find({ ...query, timestamp })
        .project<EventPosition>({ timestamp: 1 })
        .toArray(),
    );
  }

  private async named(ids: readonly string[], environmentId: string): Promise<UsageEvent[]> {
    const found = await retryTransient(() =>
      this.events.find({ _id: { $in: [...ids] }, environmentId }).toArray(),
    );
    return found.toSorted(compareNewestFirst).map(fromEventDocument);
  }
}

function compareNewestFirst(a: EventPosition, b: EventPosition): number {
  const byTime = b.timestamp.getTime() - a.timestamp.getTime();
  // Same order as the database, which compares texts by bytes.
  return byTime === 0 ? Buffer.compare(Buffer.from(b._id), Buffer.from(a._id)) : byTime;
}
