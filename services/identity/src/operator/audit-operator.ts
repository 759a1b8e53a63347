import type { Stored } from '@billing/chassis/aggregate';
import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
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

/** A change that an operator makes by a link, without a session. */
interface ChangeByLink {
  readonly tenant: Tenant;
  readonly operator: Pick<Operator, 'id' | 'email'>;
  readonly path: string;
  readonly requestId: string;
  readonly origin: Origin | undefined;
  /** HTTP status of the response if the change succeeds. */
  readonly status: number;
}

/**
 * Makes a change of an operator between two audit entries, like the gateway's changes of operators:
 * nothing is changed if the first entry cannot be written.
 */
export async function recordedChange<T>(
  { tenant, operator, path, requestId, origin, status }: ChangeByLink,
  {
    audit,
    clock,
    logger,
  }: {
    readonly audit: AuditStore;
    readonly clock: Clock;
    readonly logger: Pick<Logger, 'warn'>;
  },
  change: () => Promise<T>,
): Promise<T> {
  const { address, userAgent } = sentOrigin(origin);
  const action = { action: `POST ${path}`, path, requestId };
  const whose = { actor: operatorActor(operator), address, userAgent, environmentId: undefined };
  const entryId = await audit
    .begin(tenant, { ...action, ...whose, at: clock.now() })
    .catch((cause: unknown) => {
      throw new DomainError('unavailable', 'AUDIT_UNAVAILABLE', 'Service unavailable', { cause });
    });
  const end = async (answered: number) => {
    const target = { type: 'operator', id: operator.id };
    try {
      await audit.end(tenant, entryId, { status: answered, target, changes: [] });
    } catch (err) {
      logger.warn({ err }, 'audit entry not completed');
    }
  };
  try {
    const changed = await change();
    await end(status);
    return changed;
  } catch (error) {
    await end(error instanceof DomainError ? (refusedAs[error.kind] ?? 500) : 500);
    throw error;
  }
}

const refusedAs: { readonly [kind in DomainError['kind']]?: number } = {
  already_exists: 409,
  not_found: 404,
};

/** An operator as the actor of an entry. */
export function operatorActor({ id, email }: Pick<Operator, 'id' | 'email'>): AuditEntry['actor'] {
  return { type: 'OPERATOR', id, email };
}
