import { DomainError } from '@billing/kernel/domain-error';
import { isTransientFailure } from './transient-failure';

/** The failures of a command since it last ran without one. */
export interface CommandFailures {
  readonly count: number;
  /** Failures that do not report a passing state. */
  readonly lasting: number;
  /** Real time of the first failure. */
  readonly since: Date;
}

// About 13 s of retries.
const lastingFailuresMax = 8;
// The restart of a peer, a failover and a payment with a slow provider are over before that.
const transientMs = 5 * 60 * 1_000;
const unfinishedReason = 'PASS_UNFINISHED';

/** Adds a failure at real time `now` to the failures before it. */
export function addFailure(
  before: CommandFailures | undefined,
  { error, now }: { readonly error: unknown; readonly now: Date },
): CommandFailures {
  const { count, lasting, since } = before ?? { count: 0, lasting: 0, since: now };
  return { count: count + 1, lasting: lasting + (isTransientFailure(error) ? 0 : 1), since };
}

/** Whether a command that keeps failing needs an operator. */
export function isStuck({ lasting, since }: CommandFailures, now: Date): boolean {
  return lasting >= lastingFailuresMax || now.getTime() - since.getTime() >= transientMs;
}

/** Ends one pass of a long command that has more to do. The relay runs the next pass. */
export function unfinishedPass(): DomainError {
  return new DomainError('unavailable', unfinishedReason, 'Service unavailable');
}

export function isUnfinishedPass(error: unknown): boolean {
  return error instanceof DomainError && error.reason === unfinishedReason;
}
