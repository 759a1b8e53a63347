import type { UsageEvent } from '../gen/billing/metering/v1/metering';
import { toJsonMetadata, toJsonTime } from './scalars';

/** Usage event in REST responses. */
export function toJsonUsageEvent(event: UsageEvent) {
  return {
    id: event.id,
    eventId: event.eventId,
    customerId: event.customerId,
    meterId: event.meterId,
    quantity: event.quantity,
    timestamp: toJsonTime(event.timestamp),
    properties: toJsonMetadata(event.properties),
    receivedAt: toJsonTime(event.receivedAt),
  };
}
