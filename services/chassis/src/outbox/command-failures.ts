import { isTransientFailure } from '../grpc/transient-failure';

/** Failures of a command since it last succeeded. */
export interface CommandFailures {
  readonly count: number;
  /** Failures that are not transient. */
  readonly lasting: number;
  /** Real time of the first failure. */
  readonly since: Date;
}

// About 13 s of retries.
const lastingFailuresMax = 8;
// Restarts of peers, failovers and payments with a slow provider take less than this.
const transientMs = 5 * 60 * 1_000;

/** Adds a failure at real time `now` to the earlier ones. */
export function addFailure(
  before: CommandFailures | undefined,
  { error, now }: { readonly error: unknown; readonly now: Date },
): CommandFailures {
  const { count, lasting, since } = before ?? { count: 0, lasting: 0, since: now };
  return { count: count + 1, lasting: lasting + (isTransientFailure(error) ? 0 : 1), since };
}

/** True if a command that keeps failing needs an operator. */
export function isStuck({ lasting, since }: CommandFailures, now: Date): boolean {
  return lasting >= lastingFailuresMax || now.getTime() - since.getTime() >= transientMs;
}
