import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  MeteringServiceServer,
  UsageEvent as ProtoUsageEvent,
} from '@billing/proto/billing/metering/v1/metering';
import type { UsageEvent } from '../usage/event';
import { EventListStore } from '../usage/event-list-store';
import { ingest, type IngestDependencies } from './ingest-events';

type EventCalls = Pick<AsyncHandlers<MeteringServiceServer>, 'ingestEvents' | 'listEvents'>;

/** RPCs for usage events. */
export function eventCalls(dependencies: IngestDependencies): EventCalls {
  const lists = new EventListStore(dependencies.events);
  return {
    ingestEvents: async ({ body }, context) => ingest(body, context, dependencies),

    listEvents: async (request, context) => {
      const { customerId, meterId, eventId, from, to } = request;
      const filter = { customerId, meterId, eventId, from, to };
      const { data, total } = await lists.list(context.tenant, {
        filter,
        ...readPage(request),
      });
      return {
        events: data.map((event) => toProtoUsageEvent(event, context)),
        total: BigInt(total),
      };
    },
  };
}

/** Event as its callers see it. */
export function toProtoUsageEvent(
  event: UsageEvent,
  { tenant }: Pick<CallContext, 'tenant'>,
): ProtoUsageEvent {
  return {
    id: derivedId(tenant.environmentId, 'usage-event', event.eventId),
    eventId: event.eventId,
    customerId: event.customerId,
    meterId: event.meterId,
    quantity: event.quantity,
    timestamp: event.timestamp,
    properties: event.properties,
    receivedAt: event.receivedAt,
  };
}
