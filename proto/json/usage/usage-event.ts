import { z } from 'zod';
import type { UsageEvent } from '../../gen/billing/metering/v1/metering';
import { decimal, id, metadata, time, toJsonMetadata, toJsonTime } from '../scalars';

export const UsageEventJson = z
  .object({
    id,
    eventId: z
      .string()
      .meta({ description: 'Your event id, or a generated one if you sent none.' }),
    customerId: id,
    meterId: id,
    quantity: decimal,
    timestamp: time,
    properties: metadata,
    receivedAt: time,
  })
  .meta({ id: 'UsageEvent' });
export type UsageEventJson = z.infer<typeof UsageEventJson>;

/** Usage event in REST responses. */
export function toJsonUsageEvent(event: UsageEvent): UsageEventJson {
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
