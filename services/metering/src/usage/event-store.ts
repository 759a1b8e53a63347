import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { writeErrorsOf } from '@billing/chassis/inserts';
import type { MeasuredEvent } from '../meter/aggregation';
import { type UsageEvent, uniqueValue } from './event';

/** A stored usage event. No field can be derived from the others. */
export interface EventDocument {
  /** `<environment>:<event id>`: the first insert wins. */
  readonly _id: string;
  readonly environmentId: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly timestamp: Date;
  readonly quantity: string;
  /** JSON text, because the keys are the caller's; absent: no properties. */
  readonly properties?: string;
  readonly receivedAt: Date;
  /** The driver returns integers as number or bigint. */
  readonly arrival: number | bigint;
  /** Key of the series. Absent, like epoch and flush, in events of earlier versions. */
  readonly k?: string;
  /** Epoch of the flush; 0 if absent. */
  readonly epoch?: number | bigint;
  /** Insert command that stored the event. */
  readonly flush?: string;
}

export type EventCollection = Collection<EventDocument>;

const idsMax = 500;

export function openEvents(db: Db): EventCollection {
  return db.collection<EventDocument>('usageEvents');
}

/** One index for totals, one for lists. */
export async function ensureEventIndexes(events: EventCollection): Promise<void> {
  await ensureIndexes(events, [
    {
      name: 'usage',
      key: { environmentId: 1, customerId: 1, meterId: 1, timestamp: 1 },
    },
    { name: 'list', key: { environmentId: 1, timestamp: -1, _id: -1 } },
  ]);
}

/** Copies field by field: spreading and omitting costs more than all other work on an event. */
export function toEventDocument({ environmentId }: Tenant, event: UsageEvent): EventDocument {
  const document = {
    _id: `${environmentId}:${event.eventId}`,
    environmentId,
    customerId: event.customerId,
    meterId: event.meterId,
    quantity: event.quantity,
    timestamp: event.timestamp,
    receivedAt: event.receivedAt,
    arrival: event.arrival,
  };
  const { properties } = event;
  return isEmpty(properties) ? document : { ...document, properties: JSON.stringify(properties) };
}

function isEmpty(properties: UsageEvent['properties']): boolean {
  for (const name in properties) if (Object.hasOwn(properties, name)) return false;
  return true;
}

/** Result of one command. All other items were stored. */
export interface FlushResult<Item> {
  /** Items that already existed. */
  readonly duplicates: ReadonlySet<Item>;
  /** Items that could not be stored, with the error. */
  readonly failed: ReadonlyMap<Item, Error>;
}

/** Usage events of one environment per call. */
export class EventStore {
  constructor(readonly events: EventCollection) {}

  /** Inserts in one command. Separates duplicate ids from other failures. */
  async insert(documents: readonly EventDocument[]): Promise<FlushResult<EventDocument>> {
    let attempts = 0;
    const errors = await retryTransient(async () => {
      attempts += 1;
      try {
        await this.events.insertMany([...documents], { ordered: false });
        return new Map<number, Error>();
      } catch (error) {
        return writeErrorsOf(error);
      }
    });
    const duplicates = new Set<EventDocument>();
    const failed = new Map<EventDocument, Error>();
    for (const [index, error] of errors) {
      const document = documents[index];
      if (document === undefined) continue;
      if (duplicateKeyIndex(error) === undefined) failed.set(document, error);
      else duplicates.add(document);
    }
    if (attempts > 1) await this.dropOwn(duplicates);
    return { duplicates, failed };
  }

  /**
   * Removes the caller's own events from the duplicates: an insert retried after a lost reply finds
   * them stored.
   */
  private async dropOwn(duplicates: Set<EventDocument>): Promise<void> {
    const candidates = [...duplicates];
    for (let start = 0; start < candidates.length; start += idsMax) {
      const documents = candidates.slice(start, start + idsMax);
      const found = await retryTransient(() =>
        this.events
          .find({ _id: { $in: documents.map(({ _id }) => _id) } })
          .project<Pick<EventDocument, '_id' | 'arrival'>>({ arrival: 1 })
          .toArray(),
      );
      const arrivals = new Map(found.map(({ _id, arrival }) => [_id, Number(arrival)]));
      for (const document of documents) {
        if (arrivals.get(document._id) === document.arrival) duplicates.delete(document);
      }
    }
  }

  /** The stored events among some event ids. */
  async find(tenant: Tenant, eventIds: readonly string[]): Promise<Map<string, UsageEvent>> {
    const found = new Map<string, UsageEvent>();
    for (let start = 0; start < eventIds.length; start += idsMax) {
      const ids = eventIds
        .slice(start, start + idsMax)
        .map((eventId) => `${tenant.environmentId}:${eventId}`);
      const documents = await retryTransient(() =>
        this.events.find({ _id: { $in: ids }, environmentId: tenant.environmentId }).toArray(),
      );
      for (const document of documents) {
        const event = fromEventDocument(document);
        found.set(event.eventId, event);
      }
    }
    return found;
  }
}

/** Reduces an event to what aggregations read, with only the property that is counted. */
export function measuredEvent(
  {
    _id: id,
    timestamp: at,
    arrival,
    quantity,
    properties = '{}',
  }: Omit<EventDocument, 'environmentId'>,
  uniqueProperty: string | null,
): MeasuredEvent {
  const value =
    uniqueProperty === null
      ? null
      : uniqueValue(JSON.parse(properties) as Record<string, unknown>, uniqueProperty);
  return { id, at, arrival: Number(arrival), quantity, uniqueValue: value };
}

/** The event id as sent by the caller. */
export function eventIdOf({
  _id,
  environmentId,
}: Pick<EventDocument, '_id' | 'environmentId'>): string {
  return _id.slice(environmentId.length + 1);
}

export function fromEventDocument(document: EventDocument): UsageEvent {
  const { properties } = document;
  return {
    eventId: eventIdOf(document),
    customerId: document.customerId,
    meterId: document.meterId,
    quantity: document.quantity,
    timestamp: document.timestamp,
    properties: properties === undefined ? {} : (JSON.parse(properties) as Record<string, unknown>),
    receivedAt: document.receivedAt,
    arrival: Number(document.arrival),
  };
}
