import { DomainError } from '@billing/kernel/domain-error';

/** Error for a missing session, the same as for an expired one. */
export function invalidSession(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SESSION', 'Not signed in');
}
