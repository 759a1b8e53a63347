import { type AggregateDocument, tenantOf } from './aggregate-document';
import type { CallContext } from './call-context';
import type { Clock } from './clock';

// Work may call a peer that itself collects a payment.
const workDeadlineMs = 30_000;

/** The context in which a service works for an aggregate without a caller. */
export function workContext(
  document: AggregateDocument,
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
