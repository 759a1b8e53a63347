import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';

/** The organisation that every start finds or makes. */
export const localOrganization = 'Local';

/** For calls that carry no tenant; the channel leaves it out. */
export const noTenant: Tenant = {
  organizationId: '',
  environmentId: '',
  live: false,
  manualClock: false,
};

const CALL_TIMEOUT_MS = 20_000;

/** The context of a call that the launcher itself makes. */
export function callOf(tenant: Tenant): CallContext {
  const now = systemClock.now();
  return {
    tenant,
    now,
    scopes: [],
    requestId: newId(),
    deadline: new Date(now.getTime() + CALL_TIMEOUT_MS),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  };
}
