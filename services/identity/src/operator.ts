import { DomainError, notFound } from '@billing/kernel/domain-error';
import { parseEmailAddress } from '@billing/kernel/email-address';
import { lineProblems, refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { insufficientPermissions } from './api-key';

/** From the most powerful on: each may do all that those after it may. */
export const roles = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'] as const;

export type Role = (typeof roles)[number];

/** Somebody who works on an organisation's dashboard. */
export interface Operator {
  /** Derived from the e-mail address: one operator each, in all organisations. */
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Whether they may sign in. */
  readonly active: boolean;
  /** See password-hash.ts; undefined for who comes through an identity provider alone. */
  readonly passwordHash: string | undefined;
  /** Who they are to their identity provider; undefined before they first came through it. */
  readonly providerIdentity: ProviderIdentity | undefined;
  /** Counts what ends sessions: one that was opened under another number is over. */
  readonly sessionGeneration: number;
  /** Undefined for the first owner, and for operators of releases that did not keep it. */
  readonly invitedBy: Inviter | undefined;
}

/** The operator who invited another one, as they were then. */
export interface Inviter {
  readonly id: string;
  readonly email: string;
}

/** Somebody as an identity provider knows them. Addresses may pass to somebody else there; this never does. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Who changes somebody. */
export type Actor = Pick<Operator, 'id' | 'role'>;

const nameLengthMax = 200;
// OpenID Connect allows 255 characters; issuers are addresses.
const identityLengthMax = 2_000;

/** An address as operators are known by it. Throws invalid_input under `email`. */
export function operatorEmail(text: string): string {
  return parseEmailAddress(text).toLowerCase();
}

/** A new operator. */
export function join(
  operator: Omit<Operator, 'active' | 'providerIdentity' | 'sessionGeneration'>,
): Transition<Operator> {
  const name = operator.name.trim();
  refuseProblems({ name: lineProblems(name, { min: 1, max: nameLengthMax }) });
  const asNew = { active: true, providerIdentity: undefined, sessionGeneration: 1 };
  return only({ ...operator, name, ...asNew });
}

/** Whether a role may invite operators into another one: no role gives one above itself. */
export function mayInvite(actor: Actor, role: Role): boolean {
  return leads(actor.role) && !isAbove(role, actor.role);
}

/** Refuses an actor who may not invite operators into a role. */
export function checkInvitation(actor: Actor, role: Role): void {
  if (!mayInvite(actor, role)) throw insufficientPermissions();
}

/** Another role, or no way in any more, which ends all sessions and forgets the identity at the provider. Refuses an operator or a role above the actor's. */
export function change(
  operator: Operator,
  wish: { readonly role: Role | undefined; readonly active: boolean | undefined },
  actor: Actor,
): Transition<Operator> {
  const { role = operator.role, active = operator.active } = wish;
  const isForeign = isAbove(operator.role, actor.role) || isAbove(role, actor.role);
  if (!leads(actor.role) || isForeign) throw insufficientPermissions();
  if (role === operator.role && active === operator.active) return unchanged(operator);
  const isEnded = operator.active && !active;
  const sessionGeneration = operator.sessionGeneration + (isEnded ? 1 : 0);
  const providerIdentity = isEnded ? undefined : operator.providerIdentity;
  return only({ ...operator, role, active, providerIdentity, sessionGeneration });
}

/**
 * Lets an operator in whom a provider vouches for, and remembers by the first time who that is. Refuses whoever has their address at the
 * provider now but is somebody else.
 */
export function recognise(operator: Operator, identity: ProviderIdentity): Transition<Operator> {
  const { active, providerIdentity: known } = operator;
  const { issuer, subject } = identity;
  const isNamed = [issuer, subject].every(
    ({ length }) => length > 0 && length <= identityLengthMax,
  );
  if (!active || !isNamed) throw invalidCredentials();
  if (known === undefined) return only({ ...operator, providerIdentity: { issuer, subject } });
  if (known.issuer !== issuer || known.subject !== subject) throw invalidCredentials();
  return unchanged(operator);
}

/** Another password; all sessions but those that are told of the new generation end. */
export function setPassword(operator: Operator, passwordHash: string): Transition<Operator> {
  const sessionGeneration = operator.sessionGeneration + 1;
  return only({ ...operator, passwordHash, sessionGeneration });
}

/**
 * Another password by a reset link; all sessions end, and all other reset links. Throws not_found where the link is no longer good: it names
 * the generation that it was made for.
 */
export function resetPassword(
  operator: Operator,
  { generation, passwordHash }: { readonly generation: number; readonly passwordHash: string },
): Transition<Operator> {
  if (!operator.active || operator.sessionGeneration !== generation) throw notFound('Reset link');
  return setPassword(operator, passwordHash);
}

/** Whether an actor may let this operator set a new password: owners may for all, admins for roles below their own. */
export function mayReset(actor: Actor, operator: Operator): boolean {
  return actor.role === 'OWNER' || (actor.role === 'ADMIN' && isAbove(actor.role, operator.role));
}

/** Refuses an actor who may not let this operator set a new password, and an operator who is not active. */
export function checkReset(actor: Actor, operator: Operator): void {
  if (!mayReset(actor, operator)) throw insufficientPermissions();
  if (!operator.active) {
    throw new DomainError('failed_precondition', 'OPERATOR_INACTIVE', 'The operator is not active');
  }
}

/** Whether the operator has proven to have the e-mail address: the identity provider has vouched for it. */
export function isEmailProven({ providerIdentity }: Operator): boolean {
  return providerIdentity !== undefined;
}

/** Whether a role may invite and change operators, and read what all of them did. */
export function leads(role: Role): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}

/** One answer whatever is wrong, so that it tells nothing about operators that exist. */
export function invalidCredentials(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_CREDENTIALS', 'Wrong e-mail or password');
}

export function operatorExists(): DomainError {
  return new DomainError(
    'already_exists',
    'OPERATOR_EXISTS',
    'An operator with this e-mail address already exists',
  );
}

function isAbove(one: Role, other: Role): boolean {
  return roles.indexOf(one) < roles.indexOf(other);
}
