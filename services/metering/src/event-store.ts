import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes } from '@billing/chassis/indexes';
import { writeErrorsOf } from '@billing/chassis/insert-batches';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { MeasuredEvent } from './aggregation';
import type { Flushed } from './ingest-queue';
import { type UsageEvent, uniqueValue } from './usage-event';

/** A usage event in the database; nothing in it can be derived from the rest. */
export interface EventDocument {
  /** `<environment>:<event id>`: whoever inserts it first has it. */
  readonly _id: string;
  readonly environmentId: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly timestamp: Date;
  readonly quantity: string;
  /** JSON text, because its keys are the caller's; absent: none. */
  readonly properties?: string;
  readonly receivedAt: Date;
  /** The driver gives whole numbers as it finds them. */
  readonly arrival: number | bigint;
}

export type EventCollection = Collection<EventDocument>;

const idsMax = 500;

export function openEvents(db: Db): EventCollection {
  return db.collection<EventDocument>('usageEvents');
}

/** One index to add usage up, one to list it. */
export async function ensureEventIndexes(events: EventCollection): Promise<void> {
  await ensureIndexes(events, [
    {
      name: 'usage',
      key: { environmentId: 1, customerId: 1, meterId: 1, timestamp: 1 },
    },
    { name: 'list', key: { environmentId: 1, timestamp: -1, _id: -1 } },
  ]);
}

/** Field by field: to copy an object of which not all is wanted costs more than everything else that is done with an event. */
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

/** Usage events, of the environment of each call. */
export class EventStore {
  constructor(readonly events: EventCollection) {}

  /** Inserts in one command; tells those whose ids stood there already from those that failed for another reason. */
  async insert(documents: readonly EventDocument[]): Promise<Flushed<EventDocument>> {
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
    const taken = new Set<EventDocument>();
    const failed = new Map<EventDocument, Error>();
    for (const [index, error] of errors) {
      const document = documents[index];
      if (document === undefined) continue;
      if (duplicateKeyIndex(error) === undefined) failed.set(document, error);
      else taken.add(document);
    }
    if (attempts > 1) await this.dropOwn(taken);
    return { taken, failed };
  }

  /** An insert that was repeated meets what it stored before its answer was lost. */
  private async dropOwn(taken: Set<EventDocument>): Promise<void> {
    const met = [...taken];
    for (let start = 0; start < met.length; start += idsMax) {
      const documents = met.slice(start, start + idsMax);
      const found = await retryTransient(() =>
        this.events
          .find({ _id: { $in: documents.map(({ _id }) => _id) } })
          .project<Pick<EventDocument, '_id' | 'arrival'>>({ arrival: 1 })
          .toArray(),
      );
      const arrivals = new Map(found.map(({ _id, arrival }) => [_id, Number(arrival)]));
      for (const document of documents) {
        if (arrivals.get(document._id) === document.arrival) taken.delete(document);
      }
    }
  }

  /** Those of some event ids that are stored. */
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

/** What aggregations read of an event; of its properties the one whose values are counted. */
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

/** The event's id as its sender gave it. */
export function eventIdOf({
  _id,
  environmentId,
}: Pick<EventDocument, '_id' | 'environmentId'>): string {
  return _id.slice(environmentId.length + 1);
}

/** An event as it was taken. */
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
