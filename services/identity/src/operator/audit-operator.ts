import type { Stored } from '@billing/chassis/aggregate';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { AuditEntry } from '../audit/audit-entry';
import type { AuditStore } from '../audit/audit-store';
import type { Operator } from './operator';
import { type Origin, sentOrigin } from './session';

type Recorded = Pick<AuditEntry, 'actor' | 'action' | 'requestId'> &
  Partial<Pick<AuditEntry, 'changes' | 'status'>> & { readonly origin?: Origin | undefined };

/** Records an action on an operator, without the session of another, in the audit log. */
export async function recordOnOperator(
  { state, tenant }: Stored<Operator>,
  { actor, action, requestId, origin, changes = [], status }: Recorded,
  { audit, clock }: { readonly audit: AuditStore; readonly clock: Clock },
): Promise<void> {
  const { address, userAgent } = sentOrigin(origin);
  const path = action.split(' ')[1] ?? '';
  const what = { action, path, target: { type: 'operator', id: state.id }, changes, status };
  const when = { id: newId(), at: clock.now(), requestId, environmentId: undefined };
  const entry = { ...when, ...what, actor, address, userAgent };
  await audit.insert([{ live: tenant.environmentId, entry }]);
}

/** An operator as the actor of an entry. */
export function operatorActor({ id, email }: Pick<Operator, 'id' | 'email'>): AuditEntry['actor'] {
  return { type: 'OPERATOR', id, email };
}
