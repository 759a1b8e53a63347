import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { SignInRules } from '../organization/organization';
import {
  beginSecondFactor,
  confirmSecondFactor,
  type FirstProof,
  isConfirmed,
  type Proof,
  useCode,
  wrongCode,
} from '../second-factor/second-factor';
import { type Actor, insufficientPermissions, invalidCredentials, type Operator } from './operator';

/** Stores the sealed secret of a second factor, which does not count yet. */
export function beginFactor(operator: Operator, sealedSecret: string): Transition<Operator> {
  const secondFactor = beginSecondFactor(operator.secondFactor, sealedSecret);
  return only({ ...operator, secondFactor });
}

/** Turns the second factor on; all sessions end except those updated to the new generation. */
export function confirmFactor(
  operator: Operator,
  proof: FirstProof,
  now: Date,
): Transition<Operator> {
  const secondFactor = confirmSecondFactor(operator.secondFactor, proof, now);
  const isRetry = isConfirmed(operator.secondFactor);
  const sessionGeneration = operator.sessionGeneration + (isRetry ? 0 : 1);
  return only({ ...operator, secondFactor, sessionGeneration });
}

/**
 * Uses a code for a sign-in. Throws unauthenticated for a wrong or used one, and for an operator
 * who was deactivated or whose sessions have ended since the password was verified; `generation`
 * is that of the verification.
 */
export function signInWithCode(
  operator: Operator,
  { secret, code, generation }: Proof & { readonly generation: number },
  now: Date,
): Transition<Operator> {
  const { active, secondFactor: factor, sessionGeneration } = operator;
  if (!active || sessionGeneration !== generation) throw invalidCredentials();
  if (!isConfirmed(factor)) return unchanged(operator);
  const secondFactor = useCode(factor, { secret, code }, now);
  if (secondFactor === undefined) throw invalidSecondFactor();
  return only({ ...operator, secondFactor });
}

/** Turns the second factor off with a code. Throws invalid_input for a wrong or used one. */
export function removeFactor(operator: Operator, proof: Proof, now: Date): Transition<Operator> {
  if (!isConfirmed(operator.secondFactor)) throw notFound('Second factor');
  return only({ ...useOwnCode(operator, proof, now), secondFactor: undefined });
}

/**
 * The signed-in operator after the use of a code; unchanged without a second factor. Throws
 * invalid_input for a wrong or used code.
 */
export function useOwnCode(operator: Operator, proof: Proof, now: Date): Operator {
  const { secondFactor: factor } = operator;
  if (!isConfirmed(factor)) return operator;
  const secondFactor = useCode(factor, proof, now);
  if (secondFactor === undefined) throw wrongCode();
  return { ...operator, secondFactor };
}

/** Removes the second factor of another operator, for an owner; all sessions of theirs end. */
export function resetFactor(operator: Operator, actor: Actor): Transition<Operator> {
  // Owners turn their own off with their password and a code.
  if (actor.role !== 'OWNER' || actor.id === operator.id) throw insufficientPermissions();
  if (operator.secondFactor === undefined) return unchanged(operator);
  const sessionGeneration = operator.sessionGeneration + 1;
  return only({ ...operator, secondFactor: undefined, sessionGeneration });
}

/** True if the rules require a second factor that the operator does not have. */
export function isFactorMissing(
  { secondFactor }: Operator,
  { isByProvider }: { readonly isByProvider: boolean },
  { requireSecondFactor }: SignInRules,
): boolean {
  return requireSecondFactor && !isByProvider && !isConfirmed(secondFactor);
}

/** True where an organization allows its identity provider only, if there is one. */
export function isPasswordOff({ providerOnly }: SignInRules, isProviderConfigured: boolean) {
  return providerOnly && isProviderConfigured;
}

/** Refuses a sign-in with the password where it is off. */
export function checkPasswordAllowed(
  { passwordAllowedUntil }: Operator,
  rules: SignInRules,
  { isProviderConfigured, now }: { readonly isProviderConfigured: boolean; readonly now: Date },
): void {
  const isLetIn = passwordAllowedUntil !== undefined && now < passwordAllowedUntil;
  if (!isPasswordOff(rules, isProviderConfigured) || isLetIn) return;
  throw new DomainError(
    'permission',
    'PASSWORD_SIGN_IN_OFF',
    'Your organization allows sign-in with its identity provider only',
  );
}

/**
 * Refuses other roles, and rules that would lock the owner who sets them out, or all operators with
 * a password: without `isAvailable` no factor can be set up.
 */
export function checkOwnRules(
  owner: Operator,
  { isByProvider, isAvailable }: { readonly isByProvider: boolean; readonly isAvailable: boolean },
  rules: { readonly [rule in keyof SignInRules]?: boolean | undefined },
): void {
  if (owner.role !== 'OWNER') throw insufficientPermissions();
  const isRequired = rules.requireSecondFactor === true;
  if (isRequired && !isAvailable) throw secondFactorUnavailable();
  if (isRequired && !isByProvider && !isConfirmed(owner.secondFactor)) {
    throw new DomainError(
      'failed_precondition',
      'SECOND_FACTOR_MISSING',
      'Set up your own second factor first',
    );
  }
  if (rules.providerOnly === true && owner.providerIdentity === undefined) {
    throw new DomainError(
      'failed_precondition',
      'PROVIDER_IDENTITY_MISSING',
      'Sign in with the identity provider first',
    );
  }
}

/** Error of a sign-in without the code that the operator needs. */
export function secondFactorRequired(): DomainError {
  return new DomainError('unauthenticated', 'SECOND_FACTOR_REQUIRED', 'Second factor required');
}

/** Error where secrets of second factors cannot be sealed. */
export function secondFactorUnavailable(): DomainError {
  return new DomainError(
    'failed_precondition',
    'SECOND_FACTOR_UNAVAILABLE',
    'A second factor needs the setting DATA_KEYS',
  );
}

function invalidSecondFactor(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SECOND_FACTOR', 'Wrong or used code');
}
