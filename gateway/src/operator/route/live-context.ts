import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { operatorRoles } from '@billing/proto/values/identity';
import { liveTenantOf } from '../../access/live-tenant';
import type { OperatorRequest } from './route';

/** Context of the organization's live environment. Refuses all but owners and admins. */
export function liveContextOf({ call, signedIn }: OperatorRequest): CallContext {
  const role = operatorRoles.nameOf(signedIn.operator.role);
  if (role !== 'OWNER' && role !== 'ADMIN') {
    throw new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
  }
  return { ...call, tenant: liveTenantOf(signedIn), now: systemClock.now(), scopes: [] };
}
