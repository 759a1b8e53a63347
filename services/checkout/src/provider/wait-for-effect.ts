import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { withinTime } from '@billing/chassis/within-time';

/**
 * Limit on the wait for one piece of due work, so that a payment provider that does not answer does
 * not block the other work of the due-work scanner and the outbox relay.
 */
export const providerWaitMs = 10_000;

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
