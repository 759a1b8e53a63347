import type { CallContext, Tenant } from '@billing/chassis/call-context';
import {
  ClockKind,
  type Environment,
  EnvironmentKind,
} from '@billing/proto/billing/identity/v1/identity';
import type { Peers } from '../peer/peers';
import { present } from '../http/answer';

/** Current time of the environment. A manual clock is read for each request. */
export async function environmentTime(
  call: CallContext,
  { identity }: Pick<Peers, 'identity'>,
): Promise<Date> {
  if (!call.tenant.manualClock) return call.now;
  const { now } = await identity.getClock({}, call);
  return present(now);
}

/** Owner of an environment's data. */
export function tenantOf({ id, organizationId, kind, clock }: Environment): Tenant {
  return {
    environmentId: id,
    organizationId,
    live: kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
    manualClock: clock === ClockKind.CLOCK_KIND_MANUAL,
  };
}
