import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { operatorRoles } from '@billing/proto/values/identity';
import { liveTenantOf } from '../../access/live-tenant';
import type { OperatorRequest } from './route';

/** Context of the organization's live environment. Refuses all but owners and admins. */
export function liveContextOf({ call, idempotency, signedIn }: OperatorRequest): CallContext {
  const role = operatorRoles.nameOf(signedIn.operator.role);
  if (role !== 'OWNER' && role !== 'ADMIN') {
    throw new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
  }
  const tenant = liveTenantOf(signedIn);
  return { ...call, tenant, now: systemClock.now(), scopes: [], idempotency };
}

/** Identifies a request that may be retried; undefined without an idempotency key. */
export function retryKeyOf({ idempotency }: Pick<OperatorRequest, 'idempotency'>) {
  return idempotency && `${idempotency.key} ${idempotency.requestHash}`;
}
