import { DomainError } from '@billing/kernel/domain-error';

/** For whoever brings no session; the same as for one that is over. */
export function invalidSession(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SESSION', 'Not signed in, or no more');
}
