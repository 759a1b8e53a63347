import { DomainError } from '@billing/kernel/domain-error';

/**
 * What the log says of an error. Where a service cannot serve, its reason is enough: a stack is
 * always the same, and there may be many.
 */
export function loggedError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof DomainError) || error.kind !== 'unavailable') return { err: error };
  const { reason, cause } = error;
  return { reason, cause: cause instanceof Error ? cause.message : undefined };
}
