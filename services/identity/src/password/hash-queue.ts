import { Semaphore } from '@billing/chassis/semaphore';
import { DomainError } from '@billing/kernel/domain-error';

/** Limits of running and waiting work. */
export interface HashQueueLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
}

/**
 * Runs a few password hashes at a time, the others wait in order. When the queue is full, the next
 * one is refused immediately; a hash whose caller has gone leaves the queue and is never computed.
 */
export class HashQueue {
  private readonly places: Semaphore;

  constructor({ runningMax, waitingMax }: HashQueueLimits) {
    const refusal = () =>
      new DomainError('unavailable', 'TOO_MANY_PASSWORDS', 'Service unavailable');
    this.places = new Semaphore(runningMax, { waitingMax, refusal });
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    return this.places.run(work, signal);
  }
}
