import { type TenantFields, tenantOf } from './aggregate-document';
import type { CallContext } from './call-context';
import type { Clock } from './clock';

// Work may call a peer that itself collects a payment.
const workDeadlineMs = 30_000;

/** The context in which a service works for a document of its own without a caller. */
export function workContext(
  document: TenantFields,
  {
    at,
    clock,
    requestId,
    stopping,
  }: { at: Date; clock: Clock; requestId: string; stopping: AbortSignal },
): CallContext {
  const tenant = tenantOf(document);
  const realNow = clock.now();
  return {
    tenant,
    now: tenant.manualClock ? at : realNow,
    scopes: [],
    requestId,
    deadline: new Date(realNow.getTime() + workDeadlineMs),
    signal: AbortSignal.any([AbortSignal.timeout(workDeadlineMs), stopping]),
  };
}
