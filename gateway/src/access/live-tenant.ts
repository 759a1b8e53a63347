import type { Tenant } from '@billing/chassis/call-context';

/** Tenant of an organization's live environment. */
export function liveTenantOf({
  organizationId,
  liveEnvironmentId: environmentId,
}: {
  readonly organizationId: string;
  readonly liveEnvironmentId: string;
}): Tenant {
  return { organizationId, environmentId, live: true, manualClock: false };
}
