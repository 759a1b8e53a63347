import { DomainError } from '@billing/kernel/domain-error';
import { DeadlineExceededError } from './grpc-status';

// Another call is working on the same resource. Nothing was done for this one.
const transientReasons: ReadonlySet<string> = new Set(['PAYMENT_IN_PROGRESS']);

/**
 * True if a refusal is due to a transient state: the same call may succeed later without a change.
 */
export function isTransientRefusal({ kind, reason }: DomainError): boolean {
  return kind === 'unavailable' || kind === 'resource_exhausted' || transientReasons.has(reason);
}

/** True if a failure is transient, timeouts included. */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof DeadlineExceededError) return true;
  return error instanceof DomainError && isTransientRefusal(error);
}
