import { type Environment, EnvironmentKind } from '@billing/proto/billing/identity/v1/identity';
import type {
  AuditEntry,
  Operator,
  OperatorSession,
} from '@billing/proto/billing/identity/v1/operator';
import { toJsonSandbox } from '@billing/proto/json/sandbox';
import { toJsonTime } from '@billing/proto/json/scalars';
import { operatorRoles } from '@billing/proto/values/identity';
import { present } from '../route';
import type { SignedIn } from './operator-access';

export function toJsonOperator({ id, email, name, role, active, createdAt }: Operator) {
  const roleName = operatorRoles.nameOf(role);
  return { id, email, name, role: roleName, active, createdAt: toJsonTime(createdAt) };
}

export function toJsonOrganization({ organizationId, organizationName }: SignedIn) {
  return { id: organizationId, name: organizationName };
}

/** The live environment has no name of its own. */
export function toJsonEnvironment(environment: Environment) {
  const isLive = environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE;
  return { ...toJsonSandbox(environment), kind: isLive ? 'LIVE' : 'SANDBOX' };
}

export function toJsonAuditEntry(entry: AuditEntry) {
  return {
    id: entry.id,
    at: toJsonTime(entry.at),
    operatorId: entry.operatorId,
    operatorEmail: entry.operatorEmail,
    role: operatorRoles.nameOf(entry.role),
    action: entry.action,
    path: entry.path,
    environmentId: entry.environmentId ?? null,
    requestId: entry.requestId,
    status: entry.status ?? null,
  };
}

/** A session without its token, which the cookie has. */
export function toJsonExpiry(session: OperatorSession | undefined): string {
  return toJsonTime(present(session).expiresAt);
}
