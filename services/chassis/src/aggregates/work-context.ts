import { type TenantFields, tenantOf } from './aggregate-document';
import type { CallContext } from '../grpc/call-context';
import type { Clock } from '../clock';

// The work may call a peer that itself collects a payment.
const workDeadlineMs = 30_000;
// Work that starts within this time shares a deadline: a timer and a signal per document would cost
// more than reading it.
const sharedForMs = 1_000;

interface Limit extends Pick<CallContext, 'deadline' | 'signal'> {
  readonly startedAt: Date;
}

const latest = new WeakMap<AbortSignal, Limit>();

/** Context of work on a document without a caller. */
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
  const { deadline, signal } = limitOf(stopping, realNow);
  return {
    tenant,
    now: tenant.manualClock ? at : realNow,
    scopes: [],
    requestId,
    deadline,
    signal,
  };
}

function limitOf(stopping: AbortSignal, now: Date): Limit {
  const known = latest.get(stopping);
  if (known !== undefined && !known.signal.aborted) {
    const ageMs = now.getTime() - known.startedAt.getTime();
    if (ageMs >= 0 && ageMs < sharedForMs) return known;
  }
  const limit = {
    startedAt: now,
    deadline: new Date(now.getTime() + workDeadlineMs),
    signal: AbortSignal.any([AbortSignal.timeout(workDeadlineMs), stopping]),
  };
  latest.set(stopping, limit);
  return limit;
}
