import { isSameData } from '@billing/kernel/equality';
import type { Meter } from '../meter/meter';
import type { UsageEvent } from '../usage/event';
import type { EventInput } from './input';

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
