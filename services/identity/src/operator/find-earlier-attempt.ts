import type { Stored } from '@billing/chassis/aggregate';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { Operator } from './operator';
import type { SignIn, SignInCall } from './sign-in';

/** A request that sets a password. */
export interface PasswordRequest {
  /** See Operator; undefined: the request has no key, so no retry is recognized. */
  readonly id: string | undefined;
  /** The new password. */
  readonly password: string;
}

/** Id of a request by its key, within the operator, link or invitation that it is about. */
export function passwordRequestId(
  subjectId: string,
  retryKey: string | undefined,
): string | undefined {
  return retryKey === undefined ? undefined : derivedId(subjectId, 'passwordRequest', retryKey);
}

/** True if an earlier attempt of the request has set the operator's present password. */
export async function hasSetPassword(
  { state }: Stored<Operator>,
  { id, password }: PasswordRequest,
  { signIn, call }: { readonly signIn: SignIn; readonly call: SignInCall },
): Promise<boolean> {
  if (id === undefined || state.passwordRequestId !== id || !state.active) return false;
  return signIn.isPassword(state, password, call);
}

/**
 * Runs a change that takes effect once. Where it is refused, `findEarlier` looks for the result of
 * an earlier attempt, whose answer was lost.
 */
export async function elseEarlier<T>(
  change: () => Promise<T>,
  findEarlier: () => Promise<T | undefined>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof DomainError) || !refusals.has(error.kind)) throw error;
    const earlier = await findEarlier();
    if (earlier === undefined) throw error;
    return earlier;
  }
}

// Of a used link or invitation, of a new operator's address, and of a former password.
const refusals = new Set<DomainError['kind']>(['not_found', 'already_exists', 'unauthenticated']);
