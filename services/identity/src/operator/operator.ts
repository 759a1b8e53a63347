import { DomainError, notFound } from '@billing/kernel/domain-error';
import { parseEmailAddress } from '@billing/kernel/email-address';
import { refuseProblems } from '@billing/kernel/input-problems';
import { operatorNameProblems } from '@billing/kernel/operator-fields';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { SecondFactor } from '../second-factor/second-factor';

/** Roles, the most powerful first: each may do everything that the following ones may. */
export const roles = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'] as const;

export type Role = (typeof roles)[number];

/** A person who works on an organization's dashboard. */
export interface Operator {
  /**
   * Derived from the email address with which they joined. No other operator gets that address.
   */
  readonly id: string;
  /** In lower case; one operator each, in all organizations. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** True while they may sign in. */
  readonly active: boolean;
  /** See password-hash.ts; undefined for operators of an identity provider alone. */
  readonly passwordHash: string | undefined;
  /**
   * Identifies the request that has set the password, so that its retry is recognized; absent for
   * a request without a key.
   */
  readonly passwordRequestId?: string | undefined;
  /** Their identity at the provider; undefined before their first sign-in through it. */
  readonly providerIdentity: ProviderIdentity | undefined;
  /** Incremented to end sessions: a session opened under another number is invalid. */
  readonly sessionGeneration: number;
  /** Undefined for the first owner, and for operators of releases that did not store it. */
  readonly invitedBy: Inviter | undefined;
  /** Real times at which the operator last asked for a reset link, at most three. */
  readonly resetsAskedAt: readonly Date[];
  /** True if they have used a link that only a mail to their address had. */
  readonly hasUsedMailedLink: boolean;
  /** Undefined without one. Counts once confirmed. */
  readonly secondFactor: SecondFactor | undefined;
  /**
   * Real time until which an owner who was let in from the machine may use the password although
   * the organization allows its identity provider only.
   */
  readonly passwordAllowedUntil: Date | undefined;
}

/** The operator who invited another one, as of that time. */
export interface Inviter {
  readonly id: string;
  readonly email: string;
}

/**
 * A person as identified by an identity provider. Addresses may be reassigned there; this never is.
 */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** The operator who makes a change. */
export type Actor = Pick<Operator, 'id' | 'role'>;

const resetsMax = 3;
const resetPeriodMs = 60 * 60 * 1_000;
const dayMs = 24 * resetPeriodMs;
// OpenID Connect allows 255 characters; issuers are addresses.
const identityLengthMax = 2_000;

/** Normalizes an operator's address. Throws invalid_input under `email`. */
export function operatorEmail(text: string): string {
  return parseEmailAddress(text).toLowerCase();
}

/** Creates an operator. */
export function createOperator(
  operator: Omit<
    Operator,
    | 'active'
    | 'providerIdentity'
    | 'sessionGeneration'
    | 'resetsAskedAt'
    | 'hasUsedMailedLink'
    | 'secondFactor'
    | 'passwordAllowedUntil'
  >,
): Transition<Operator> {
  const name = operatorName(operator.name);
  const asNew = { active: true, providerIdentity: undefined, sessionGeneration: 1 };
  const unused = { resetsAskedAt: [], hasUsedMailedLink: false };
  const open = { secondFactor: undefined, passwordAllowedUntil: undefined };
  return only({ ...operator, name, ...asNew, ...unused, ...open });
}

/** Changes an operator's own name. */
export function changeName(operator: Operator, text: string): Transition<Operator> {
  const name = operatorName(text);
  return name === operator.name ? unchanged(operator) : only({ ...operator, name });
}

/**
 * Changes an operator's own email address; all sessions end except those
 * updated to the new generation, and all reset links. Refuses operators of an identity provider,
 * which finds them by the address, and a session that has ended since its generation was read.
 */
export function changeEmail(
  operator: Operator,
  {
    email,
    generation,
    isProven,
  }: {
    readonly email: string;
    readonly generation: number;
    /** True if a mail to the address has reached the operator. */
    readonly isProven: boolean;
  },
): Transition<Operator> {
  checkGeneration(operator, generation);
  checkOwnEmail(operator);
  if (email === operator.email) return unchanged(operator);
  const sessionGeneration = operator.sessionGeneration + 1;
  return only({ ...operator, email, hasUsedMailedLink: isProven, sessionGeneration });
}

/**
 * Refuses a change by a session that has ended since: the new generation would make it valid again.
 */
function checkGeneration(operator: Operator, generation: number): void {
  const isEnded = !operator.active || operator.sessionGeneration !== generation;
  if (isEnded) throw invalidCredentials();
}

/** Refuses operators whose email address an identity provider determines. */
export function checkOwnEmail(operator: Operator): void {
  if (!isEmailFromProvider(operator)) return;
  throw new DomainError(
    'failed_precondition',
    'EMAIL_OF_PROVIDER',
    'Your email address comes from the identity provider',
  );
}

/** True when a role may invite operators into another one: no role grants one above itself. */
export function mayInvite(actor: Actor, role: Role): boolean {
  return mayManageOperators(actor.role) && !isAbove(role, actor.role);
}

/** Refuses an actor who may not invite operators into a role. */
export function checkInvitation(actor: Actor, role: Role): void {
  if (!mayInvite(actor, role)) throw insufficientPermissions();
}

/**
 * Changes an operator's role or access. The loss of access ends all sessions and removes the
 * identity at the provider. Refuses an operator or a role above the actor's.
 */
export function change(
  operator: Operator,
  changes: { readonly role: Role | undefined; readonly active: boolean | undefined },
  actor: Actor,
): Transition<Operator> {
  const { role = operator.role, active = operator.active } = changes;
  const isForeign = isAbove(operator.role, actor.role) || isAbove(role, actor.role);
  if (!mayManageOperators(actor.role) || isForeign) throw insufficientPermissions();
  if (role === operator.role && active === operator.active) return unchanged(operator);
  const isEnded = operator.active && !active;
  const sessionGeneration = operator.sessionGeneration + (isEnded ? 1 : 0);
  const providerIdentity = isEnded ? undefined : operator.providerIdentity;
  return only({ ...operator, role, active, providerIdentity, sessionGeneration });
}

/**
 * Signs in an operator whom a provider has authenticated, and binds them to the provider's identity
 * at the first sign-in. Refuses another identity with the same address, and at the first sign-in an
 * address that the operator chose and has not proven: it may be that of another person.
 */
export function bindToProvider(
  operator: Operator,
  identity: ProviderIdentity,
  { isChosen = false }: { readonly isChosen?: boolean } = {},
): Transition<Operator> {
  const { active, providerIdentity: known } = operator;
  const { issuer, subject } = identity;
  const isNamed = [issuer, subject].every(
    ({ length }) => length > 0 && length <= identityLengthMax,
  );
  if (!active || !isNamed) throw invalidCredentials();
  if (known === undefined) {
    if (isChosen && !isEmailProven(operator)) throw invalidCredentials();
    return only({ ...operator, providerIdentity: { issuer, subject } });
  }
  if (known.issuer !== issuer || known.subject !== subject) throw invalidCredentials();
  return unchanged(operator);
}

/**
 * Records a request for a reset link of an operator. Unchanged, if the operator gets none:
 * without access or password, or after three in an hour.
 */
export function askForReset(operator: Operator, now: Date): Transition<Operator> {
  const { active, passwordHash, resetsAskedAt } = operator;
  const recent = resetsAskedAt.filter((at) => now.getTime() - at.getTime() < resetPeriodMs);
  if (!active || passwordHash === undefined || recent.length >= resetsMax) {
    return unchanged(operator);
  }
  return only({ ...operator, resetsAskedAt: [...recent, now] });
}

/** As `setPassword`. Refuses a session that has ended since its generation was read. */
export function changePassword(
  operator: Operator,
  { generation, ...password }: NewPassword & { readonly generation: number },
): Transition<Operator> {
  checkGeneration(operator, generation);
  return setPassword(operator, password);
}

/** A new password, and the request that sets it. */
export type NewPassword = Pick<Operator, 'passwordRequestId'> & { readonly passwordHash: string };

/** Sets a new password; all sessions end except those updated to the new generation. */
export function setPassword(
  operator: Operator,
  { passwordHash, passwordRequestId }: NewPassword,
): Transition<Operator> {
  const sessionGeneration = operator.sessionGeneration + 1;
  return only({ ...operator, passwordHash, passwordRequestId, sessionGeneration });
}

/**
 * Sets a new password by a reset link; all sessions and all other reset links end. A link of the
 * machine also removes the second factor. Throws not_found for a link that is no longer valid: it
 * names the generation that it was created for.
 */
export function resetPassword(
  operator: Operator,
  {
    generation,
    isMailed,
    isOfMachine,
    ...password
  }: NewPassword & {
    readonly generation: number;
    /** See ResetLink. */
    readonly isMailed: boolean;
    /** See ResetLink. */
    readonly isOfMachine: boolean;
  },
  now: Date,
): Transition<Operator> {
  if (!operator.active || operator.sessionGeneration !== generation) throw notFound('Reset link');
  const hasUsedMailedLink = operator.hasUsedMailedLink || isMailed;
  const passwordAllowedUntil = new Date(now.getTime() + dayMs);
  const letIn = isOfMachine ? { secondFactor: undefined, passwordAllowedUntil } : {};
  return setPassword({ ...operator, hasUsedMailedLink, ...letIn }, password);
}

/**
 * True when an actor may let this operator set a new password: owners may for all, admins for roles
 * below their own.
 */
export function mayReset(actor: Actor, operator: Operator): boolean {
  return actor.role === 'OWNER' || (actor.role === 'ADMIN' && isAbove(actor.role, operator.role));
}

/**
 * Refuses an actor who may not let this operator set a new password, and an operator who is not
 * active.
 */
export function checkReset(actor: Actor, operator: Operator): void {
  if (!mayReset(actor, operator)) throw insufficientPermissions();
  if (!operator.active) {
    throw new DomainError('failed_precondition', 'OPERATOR_INACTIVE', 'The operator is not active');
  }
}

/**
 * True when the operator's email address is verified by the identity provider, or by a link that
 * only a mail to it had.
 */
export function isEmailProven({ providerIdentity, hasUsedMailedLink }: Operator): boolean {
  return providerIdentity !== undefined || hasUsedMailedLink;
}

/** True when an identity provider finds the operator by the email address, or will at first. */
export function isEmailFromProvider({ providerIdentity, passwordHash }: Operator): boolean {
  return providerIdentity !== undefined || passwordHash === undefined;
}

/** True when a role may invite and change operators, and read what all of them did. */
export function mayManageOperators(role: Role): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}

function operatorName(text: string): string {
  refuseProblems({ name: operatorNameProblems(text) });
  return text.trim();
}

/** The same answer for all causes, so that it reveals nothing about existing operators. */
export function invalidCredentials(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_CREDENTIALS', 'Wrong email or password');
}

export function operatorExists(): DomainError {
  return new DomainError(
    'already_exists',
    'OPERATOR_EXISTS',
    'An operator with this email address already exists',
  );
}

function isAbove(one: Role, other: Role): boolean {
  return roles.indexOf(one) < roles.indexOf(other);
}

export function insufficientPermissions(): DomainError {
  return new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
}
