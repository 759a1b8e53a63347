import { Semaphore } from '@billing/chassis/semaphore';
import { RateLimit, tooManyRequests } from '../http/rate-limit';

const postsPerMinute = 10;
const secondsPerMinute = 60;
const mailingMax = 4;
const waitingMax = 32;

/** Limits of password resets that are asked for by email. They need no session. */
export class PasswordResetLimits {
  private readonly posts = new RateLimit({
    perSecond: postsPerMinute / secondsPerMinute,
    burst: postsPerMinute,
  });
  private readonly slots = new Semaphore(mailingMax, {
    waitingMax,
    refusal: () => new Error('Too many password resets at a time'),
  });

  /** Throws if a network exceeds its rate. */
  admit(network: string, now: Date): void {
    const allowance = this.posts.take(network, now);
    if (!allowance.isAllowed) throw tooManyRequests(allowance);
  }

  /** Runs the work that follows an answer. Rejects if too much of it waits. */
  run(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.slots.run(work, signal);
  }
}
