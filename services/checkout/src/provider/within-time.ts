import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';

/**
 * Limit on the wait for one piece of due work, so that a payment provider that does not answer does
 * not block the other work of the due-work scanner and the outbox relay.
 */
export const providerWaitMs = 10_000;

/**
 * Returns the outcome of the work, or throws unavailable after `timeMs`. The work is not canceled:
 * it continues in the background. If it fails there, its steps are resumed as after a crash.
 */
export async function withinTime<T>(timeMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DomainError('unavailable', 'STILL_UNDER_WAY', 'Service unavailable'));
    }, timeMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
    // A failure after the timeout must not be an unhandled rejection.
    work.catch(() => undefined);
  }
}

/**
 * Returns the outcome of work that follows a stored decision. On behalf of a caller, throws
 * unavailable once the call has to answer; the work continues in the background.
 */
export function untilAnswer<T>(
  work: Promise<T>,
  { storing }: Pick<CallContext, 'storing'>,
): Promise<T> {
  return storing === undefined ? work : withinTime(storing.msToWait(), work);
}

/**
 * Like `untilAnswer`, but after an error that is no refusal a caller gets the state as written: an
 * error response would deny a decision that is stored. The work is resumed as after a crash.
 */
export async function untilAnswerElse<T>(
  written: T,
  work: Promise<T>,
  {
    storing,
    onUnfinished,
  }: Pick<CallContext, 'storing'> & { readonly onUnfinished: (error: unknown) => void },
): Promise<T> {
  try {
    return await untilAnswer(work, { storing });
  } catch (error) {
    if (storing === undefined || isRefusal(error)) throw error;
    onUnfinished(error);
    return written;
  }
}

/** True for an error that is the outcome: a retry of the same work would be refused, too. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.kind !== 'unavailable';
}

const effectWaitMsMax = 8_000;

/**
 * Waits for an effect of a decision that is stored, so that the caller finds the effect right after
 * the call: until it is there, has failed, or the call has to answer. Its command does the same.
 */
export async function waitForEffect(
  effect: Promise<unknown>,
  context: Pick<CallContext, 'deadline'>,
  clock: Clock,
): Promise<void> {
  const realNow = clock.now();
  const until = waitAtMost(effectWaitMsMax, context, realNow);
  const msLeft = Math.max(0, until.getTime() - realNow.getTime());
  await withinTime(msLeft, effect).catch(() => undefined);
}
