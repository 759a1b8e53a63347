import { DomainError } from '@billing/kernel/domain-error';

/**
 * Log fields of an error. For an unavailable service the reason suffices: the stack is always the
 * same, and such errors are frequent.
 */
export function loggedError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof DomainError) || error.kind !== 'unavailable') return { err: error };
  const { reason, cause } = error;
  return { reason, cause: cause instanceof Error ? cause.message : undefined };
}
