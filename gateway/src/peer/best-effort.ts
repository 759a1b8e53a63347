import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';

// The caller waits for its answer, with or without the effect.
const effectMsMax = 3_000;

/**
 * Asks for an effect of a write that is already stored, such as a mail. A failure is logged and
 * returns undefined: the caller gets the answer of the write.
 */
export async function bestEffort<T>(
  ask: (limit: Pick<CallContext, 'deadline'>) => Promise<T>,
  {
    call,
    logger,
    failure,
  }: {
    readonly call: Pick<CallContext, 'deadline'>;
    readonly logger: Pick<Logger, 'warn'>;
    /** Log message of a failure. */
    readonly failure: string;
  },
): Promise<T | undefined> {
  const askedUntilMs = systemClock.now().getTime() + effectMsMax;
  const deadline = new Date(Math.min(call.deadline.getTime(), askedUntilMs));
  try {
    return await ask({ deadline });
  } catch (error) {
    logger.warn({ err: error }, failure);
    return undefined;
  }
}
