import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import {
  firstName,
  type Generation,
  generationsHolding,
  isComplete,
} from '../generation/generation';
import type { MadeCollections } from '../generation/generation-storage';
import type { MeasuredEvent } from '../meter/aggregation';
import { erasedValue } from './erased-value';
import { type UsageEvent, uniqueValue } from './event';
import { seriesKey } from './series-key';

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
  /**
   * Hash of the distinct value that the meter counts, where the properties were erased together
   * with their customer; absent: none.
   */
  readonly value?: string;
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

/** An event that is about to be stored; its flush sets `epoch` and `flush`. */
export interface NewEventDocument extends EventDocument {
  readonly k: string;
  epoch: number;
  flush: string;
}

export type EventCollection = Collection<EventDocument>;

/** Reads the present generations, oldest first. */
export type ReadGenerations = () => Promise<readonly Generation[]>;

/** Span of time; without an edge, all earlier or later times. */
interface EventTimes {
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
}

const idsMax = 500;

/** Events of all environments: one collection for each generation. */
export class EventCollections implements MadeCollections {
  /** Names of collections whose indexes this process has created. */
  private readonly ready = new Set<string>();

  constructor(
    private readonly db: Db,
    private readonly generations: ReadGenerations,
  ) {}

  /** The collection of a generation. */
  of({ name }: Pick<Generation, 'name'>): EventCollection {
    return this.db.collection<EventDocument>(name);
  }

  /**
   * All collections, oldest first. They have each event that was acknowledged before the call, so
   * a caller must not keep them for a later read.
   */
  async all(): Promise<EventCollection[]> {
    const generations = await this.generations();
    return generations.map((one) => this.of(one));
  }

  /** The collections that may have events of an environment and span of time, oldest first. */
  async holding(
    { manualClock }: Pick<Tenant, 'manualClock'>,
    times: EventTimes,
  ): Promise<EventCollection[]> {
    const generations = await this.generations();
    // The collections are by real time.
    const holding = manualClock ? generations : generationsHolding(generations, times);
    return holding.map((one) => this.of(one));
  }

  /** False if events of an environment from an instant on may have been dropped. */
  async hasAll({ manualClock }: Pick<Tenant, 'manualClock'>, from: Date): Promise<boolean> {
    return isComplete(await this.generations(), { from, hasManualClock: manualClock });
  }

  /**
   * The stored events among some event ids of an environment, oldest first. An id that was used
   * again, after its time, has several.
   */
  async find(
    { environmentId }: Pick<Tenant, 'environmentId'>,
    eventIds: readonly string[],
  ): Promise<Map<string, EventDocument[]>> {
    const found = new Map<string, EventDocument[]>();
    const collections = await this.all();
    for (let start = 0; start < eventIds.length; start += idsMax) {
      const some = eventIds.slice(start, start + idsMax);
      const ids = some.map((eventId) => `${environmentId}:${eventId}`);
      for (const events of collections) {
        const documents = await retryTransient(() =>
          events.find({ _id: { $in: ids }, environmentId }).toArray(),
        );
        for (const document of documents) {
          const eventId = eventIdOf(document);
          found.set(eventId, [...(found.get(eventId) ?? []), document]);
        }
      }
    }
    return found;
  }

  /** Real time from which on events are kept; the beginning of time if none were dropped. */
  async keptSince(): Promise<Date> {
    const [oldest] = await this.generations();
    return oldest === undefined || oldest.from === 0 ? new Date(0) : oldest.since;
  }

  async make(name: string): Promise<void> {
    if (this.ready.has(name)) return;
    await ensureEventIndexes(this.of({ name }));
    this.ready.add(name);
  }

  async made(): Promise<string[]> {
    const listed = await retryTransient(() =>
      this.db.listCollections({}, { nameOnly: true }).toArray(),
    );
    return listed
      .map(({ name }) => name)
      .filter((name) => name === firstName || name.startsWith(`${firstName}_`));
  }

  async drop(name: string): Promise<void> {
    this.ready.delete(name);
    await retryTransient(() => this.of({ name }).drop());
  }
}

/** One index for totals, one for lists. */
async function ensureEventIndexes(events: EventCollection): Promise<void> {
  await ensureIndexes(events, [
    {
      name: 'usage',
      key: { environmentId: 1, customerId: 1, meterId: 1, timestamp: 1 },
    },
    { name: 'list', key: { environmentId: 1, timestamp: -1, _id: -1 } },
  ]);
}

/** Copies field by field: spreading and omitting costs more than all other work on an event. */
export function toEventDocument(
  { environmentId }: Pick<Tenant, 'environmentId'>,
  event: UsageEvent,
): NewEventDocument {
  const document = {
    _id: `${environmentId}:${event.eventId}`,
    k: seriesKey(environmentId, event),
    epoch: 0,
    flush: '',
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

/** Reduces an event to what aggregations read, with only the property that is counted. */
export function measuredEvent(
  {
    _id: id,
    timestamp: at,
    arrival,
    quantity,
    properties = '{}',
    value: hash,
  }: Omit<EventDocument, 'environmentId'>,
  uniqueProperty: string | null,
): MeasuredEvent {
  const read = (property: string) =>
    hash === undefined
      ? uniqueValue(JSON.parse(properties) as Record<string, unknown>, property)
      : erasedValue(hash);
  const value = uniqueProperty === null ? null : read(uniqueProperty);
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
