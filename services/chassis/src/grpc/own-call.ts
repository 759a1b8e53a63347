import type { CallContext, Tenant } from './call-context';
import { systemClock } from '../clock';
import { newId } from '../ids';

/** Tenant of calls without a tenant; it is not sent. */
export const noTenant: Tenant = {
  organizationId: '',
  environmentId: '',
  live: false,
  manualClock: false,
};

const timeoutMs = 20_000;

/** Context of a call that a program makes on its own behalf, not for a caller of a service. */
export function ownCall(tenant: Tenant = noTenant): CallContext {
  const now = systemClock.now();
  return {
    tenant,
    now,
    scopes: [],
    requestId: newId(),
    deadline: new Date(now.getTime() + timeoutMs),
    signal: AbortSignal.timeout(timeoutMs),
  };
}
