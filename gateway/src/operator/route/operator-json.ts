import { type Environment, EnvironmentKind } from '@billing/proto/billing/identity/v1/identity';
import type {
  AuditActor,
  AuditChange,
  AuditEntry,
  AuditTarget,
  Operator,
  OperatorSession,
  ShownSession,
  SignInRules,
} from '@billing/proto/billing/identity/v1/operator';
import { toJsonSandbox } from '@billing/proto/json/sandbox';
import { toJsonOptionalTime, toJsonTime } from '@billing/proto/json/scalars';
import { auditActorTypes, operatorRoles } from '@billing/proto/values/identity';
import { present } from '../../http/answer';
import type { SignedIn } from '../../access/operator-access';

export function toJsonOperator(operator: Operator) {
  const { id, email, name, role, active, createdAt, invitedBy = null } = operator;
  const { emailProven, emailFromProvider } = operator;
  const roleName = operatorRoles.nameOf(role);
  const since = toJsonTime(createdAt);
  const secondFactor = toJsonSecondFactor(operator);
  const proven = { emailProven, emailFromProvider, secondFactor };
  return { id, email, name, role: roleName, active, invitedBy, ...proven, createdAt: since };
}

/** Null for an operator without a second factor. */
function toJsonSecondFactor({ secondFactor }: Operator) {
  if (secondFactor === undefined) return null;
  const { confirmedAt, recoveryCodesLeft } = secondFactor;
  return { confirmedAt: toJsonTime(confirmedAt), recoveryCodesLeft };
}

/** A session without its token. Unknown values are null. */
export function toJsonSession(session: ShownSession) {
  return {
    id: session.id,
    createdAt: toJsonTime(session.createdAt),
    lastUsedAt: toJsonTime(session.lastUsedAt),
    expiresAt: toJsonTime(session.expiresAt),
    address: textOrNull(session.address),
    userAgent: textOrNull(session.userAgent),
    current: session.current,
  };
}

export function toJsonOrganization({ organizationId, organizationName, signInRules }: SignedIn) {
  return { id: organizationId, ...toJsonOrganizationSettings(organizationName, signInRules) };
}

/** What an owner may change of the organization. */
export function toJsonOrganizationSettings(
  name: string,
  { requireSecondFactor, providerOnly }: SignInRules,
) {
  return { name, requireSecondFactor, providerOnly };
}

/**
 * The live environment has no name. `deletesAt` is null unless the deletion of the sandbox is
 * announced.
 */
export function toJsonEnvironment(environment: Environment) {
  const { kind, deletesAt } = environment;
  return {
    ...toJsonSandbox(environment),
    kind: kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE ? 'LIVE' : 'SANDBOX',
    deletesAt: deletesAt === undefined ? null : toJsonTime(deletesAt),
  };
}

/** An entry; `names` are those of operators, by id. */
export function toJsonAuditEntry(entry: AuditEntry, names: ReadonlyMap<string, string> = noNames) {
  return {
    id: entry.id,
    at: toJsonTime(entry.at),
    actor: toJsonActor(present(entry.actor), names),
    address: textOrNull(entry.address),
    userAgent: textOrNull(entry.userAgent),
    action: entry.action,
    path: entry.path,
    target: entry.target === undefined ? null : toJsonTarget(entry.target, names),
    changes: toJsonChanges(entry.changes),
    environmentId: entry.environmentId ?? null,
    requestId: entry.requestId,
    status: entry.status ?? null,
    environmentTime: toJsonOptionalTime(entry.environmentTime),
  };
}

/** An entry with the names of resources that it does not name itself, by id. */
export type NamedAuditEntry = ReturnType<typeof toJsonAuditEntry> & {
  readonly names: Readonly<Record<string, string>>;
};

const noNames: ReadonlyMap<string, string> = new Map();

function toJsonActor({ type, id, email }: AuditActor, names: ReadonlyMap<string, string>) {
  const name = names.get(id) ?? null;
  return { type: auditActorTypes.nameOf(type), id, email: email ?? null, name };
}

function toJsonTarget(
  { type, id, name, currency }: AuditTarget,
  names: ReadonlyMap<string, string>,
) {
  const known = type === 'operator' ? names.get(id) : undefined;
  return { type, id: textOrNull(id), name: name ?? known ?? null, currency: currency ?? null };
}

/** Values before and after, by field. Unknown and hidden values have no key. */
function toJsonChanges(changes: readonly AuditChange[]) {
  return Object.fromEntries(
    changes.map(({ field, fromJson, toJson }) => [
      field,
      {
        ...(fromJson !== undefined && { from: JSON.parse(fromJson) as unknown }),
        ...(toJson !== undefined && { to: JSON.parse(toJson) as unknown }),
      },
    ]),
  );
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** A session without its token, which is in the cookie. */
export function toJsonExpiry(session: OperatorSession | undefined): string {
  return toJsonTime(present(session).expiresAt);
}
