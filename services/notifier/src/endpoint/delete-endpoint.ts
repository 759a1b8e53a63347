import type { CallContext } from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import type { EndpointKey } from './endpoint';
import type { EndpointStore } from './endpoint-store';

export interface EndpointDeletion {
  readonly endpoints: EndpointStore;
  readonly deliveries: { readonly discard: (key: EndpointKey) => Promise<void> };
  /** Called with an endpoint that was changed. */
  readonly onChange: (endpoint: EndpointKey) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Deletes an endpoint, frees its slot and discards its unfinished deliveries. Once the endpoint is
 * deleted, a failure is no answer: the worker discards the deliveries, too, and a registration that
 * finds no slot frees those of deleted endpoints.
 */
export async function deleteEndpoint(
  endpointId: string,
  context: Pick<CallContext, 'tenant' | 'storing'>,
  { endpoints, deliveries, onChange, logger }: EndpointDeletion,
): Promise<void> {
  const { tenant, storing } = context;
  const key = { environmentId: tenant.environmentId, endpointId };
  await endpoints.remove(context, endpointId);
  onChange(key);
  const cleared = Promise.all([endpoints.freeSlot(key), deliveries.discard(key)]);
  await elseAsWritten<unknown>(undefined, cleared, { logger, storing, endpointId });
}
