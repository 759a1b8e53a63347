import type { Collection, Db, Document } from 'mongodb';
import { type Tenant, timelineOf } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { totalOf } from '../meter/aggregation';
import { measuredEvent, toEventDocument } from '../usage/event-store';
import { hourMs, type MeasuredSeries } from '../usage/hour';
import { firstGeneration, openEvents } from './events';

export interface Used {
  readonly ms: number;
  readonly quantity: number;
  readonly user: string;
}

/** How an earlier version left an hour. */
export type HourState = 'sealed' | 'reopened' | 'announced' | 'unsealed';

/** A series that an earlier version has counted. */
export class EarlierUsage {
  private arrival = 0;

  constructor(
    private readonly db: Db,
    private readonly tenant: Tenant,
    readonly series: MeasuredSeries,
    /** Start of the first hour. */
    private readonly firstMs: number,
  ) {}

  /** Stores events without a flush. */
  async use(all: readonly Used[]): Promise<void> {
    const { customerId, meterId } = this.series;
    const documents = all.map(({ ms, quantity, user }) => {
      this.arrival += 1;
      const timestamp = new Date(this.firstMs + ms);
      const {
        k: _k,
        epoch: _epoch,
        flush: _flush,
        ...event
      } = toEventDocument(this.tenant, {
        eventId: newId(),
        customerId,
        meterId,
        quantity: String(quantity),
        timestamp,
        properties: { user },
        receivedAt: timestamp,
        arrival: this.arrival,
      });
      return event;
    });
    await this.events.insertMany(documents);
  }

  /** Stores hours as the sealing of earlier versions did: the last ones are not sealed. */
  async seal(states: readonly HourState[]): Promise<void> {
    const { customerId, meterId, aggregation, uniqueProperty } = this.series;
    const { organizationId, environmentId, live } = this.tenant;
    const found = await this.events.find({ environmentId, customerId, meterId }).toArray();
    const events = found.map((event) => measuredEvent(event, uniqueProperty));
    const first = this.firstMs / hourMs;
    const sealedHours = states.findLastIndex((state) => state !== 'unsealed') + 1;
    for (const [index, state] of states.slice(0, sealedHours).entries()) {
      const hour = new Date((first + index) * hourMs);
      const own = events.filter(({ at }) => Math.floor(at.getTime() / hourMs) === first + index);
      if (own.length === 0 || state === 'unsealed') continue;
      const total = totalOf(aggregation, own);
      await this.collection('usageHours').insertOne({
        _id: `${environmentId}:${customerId}:${meterId}:${String(hour.getTime())}`,
        ...{ environmentId, customerId, meterId, hour, version: 3 },
        pending: state === 'announced' ? [{ id: newId(), at: hour }] : [],
        total: state === 'reopened' ? null : { ...total, sealId: newId(), chunks: 0 },
      });
    }
    await this.collection('usageSeries').insertOne({
      _id: `${environmentId}:${customerId}:${meterId}`,
      organizationId,
      environmentId,
      live,
      ...{ customerId, meterId, timeline: timelineOf(this.tenant) },
      // Hours before without a document have no events.
      sealedUntil: states.includes('unsealed') ? null : new Date((first + sealedHours) * hourMs),
      sealAt: new Date(this.firstMs),
    });
  }

  private get events() {
    return openEvents(this.db).of(firstGeneration);
  }

  private collection(name: string): Collection<Document & { _id: string }> {
    return this.db.collection<Document & { _id: string }>(name);
  }
}
