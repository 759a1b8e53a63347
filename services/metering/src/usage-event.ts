import { isSameData } from '@billing/kernel/equality';
import type { MeasuredEvent } from './aggregation';
import type { EventInput } from './ingest-input';
import type { Meter } from './meter';

/** A recorded use by a customer. Kept permanently. */
export interface UsageEvent {
  readonly eventId: string;
  readonly customerId: string;
  readonly meterId: string;
  /** Canonical decimal string. */
  readonly quantity: string;
  readonly timestamp: Date;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Environment time. */
  readonly receivedAt: Date;
  /** Increases in order of arrival, by real time. */
  readonly arrival: number;
}

export interface EventDependencies {
  /** Undefined: unknown customer. */
  readonly customerId: string | undefined;
  readonly meter: Meter | undefined;
  readonly now: Date;
}

const aheadMsMax = 5 * 60_000;
const backMsMax = 35 * 86_400_000;

/** Reason to refuse a well-formed event; undefined if it is accepted. */
export function eventRefusal(
  { timestamp, isNegative }: EventInput,
  { customerId, meter, now }: EventDependencies,
): string | undefined {
  if (customerId === undefined) return 'Customer not found';
  if (meter === undefined || meter.deletedAt !== null) return 'Meter not found';
  if (!meter.active) return 'Meter is not active';
  if (isNegative && meter.aggregation !== 'SUM') {
    return 'quantity: Must not be below 0 but for the aggregation SUM';
  }
  if (timestamp === undefined) return undefined;
  const aheadMs = timestamp.getTime() - now.getTime();
  if (aheadMs > aheadMsMax) return 'timestamp: Must be at most 5 minutes ahead';
  return -aheadMs > backMsMax ? 'timestamp: Must be at most 35 days back' : undefined;
}

/** Error for an event whose id belongs to a different event. */
export const idReused = 'eventId: Was used with other content';

/** True if a resent event matches the stored one. An omitted timestamp matches any. */
export function isSameContent(
  stored: UsageEvent,
  sent: Pick<EventInput, 'meterId' | 'quantity' | 'timestamp' | 'properties'>,
  customerId: string | undefined,
): boolean {
  return (
    stored.customerId === customerId &&
    stored.meterId === sent.meterId &&
    stored.quantity === sent.quantity &&
    (sent.timestamp === undefined || stored.timestamp.getTime() === sent.timestamp.getTime()) &&
    isSameData(stored.properties, sent.properties ?? {})
  );
}

/** Text form of a property's value; null if the event has none. */
export function uniqueValue(
  properties: Readonly<Record<string, unknown>>,
  property: string,
): MeasuredEvent['uniqueValue'] {
  if (!Object.hasOwn(properties, property)) return null;
  const value = properties[property];
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return null;
  }
}
