import type { CallContext, Tenant } from './call-context';
import { systemClock } from './clock';
import { newId } from './ids';

/** For calls that carry no tenant; the channel leaves it out. */
export const noTenant: Tenant = {
  organizationId: '',
  environmentId: '',
  live: false,
  manualClock: false,
};

const timeoutMs = 20_000;

/** The context of a call that a program makes of its own accord, for no caller of a service. */
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
