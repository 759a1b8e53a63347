import type { MeasuredEvent } from '../meter/aggregation';

/** A recorded use by a customer. Kept for `RETENTION_USAGE_MONTHS`. */
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
