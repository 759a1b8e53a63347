import { InFlightLimit, Semaphore } from '@billing/chassis/semaphore';
import { DomainError } from '@billing/kernel/domain-error';

/** Limits of running and waiting work. */
export interface HashQueueLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Running and waiting attempts of callers who are not known, for one email address. */
  readonly perAddressMax: number;
}

/**
 * Runs a few password hashes at a time, the others wait in order. When the queue is full, the next
 * one is refused immediately; a hash whose caller has gone leaves the queue and is never computed.
 * Callers who are not known wait in a queue of their own, before their attempt costs anything: a
 * known one waits for a running hash and for other known ones, however many strangers there are.
 */
export class HashQueue {
  private readonly places: Semaphore;
  private readonly strangers: Semaphore;
  private readonly perAddress: InFlightLimit;

  constructor({ runningMax, waitingMax, perAddressMax }: HashQueueLimits) {
    const refusal = () =>
      new DomainError('unavailable', 'TOO_MANY_PASSWORDS', 'Service unavailable');
    this.places = new Semaphore(runningMax, { waitingMax, refusal });
    this.strangers = new Semaphore(runningMax, { waitingMax, refusal });
    this.perAddress = new InFlightLimit(perAddressMax, refusal);
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    return this.places.run(work, signal);
  }

  /**
   * Makes an attempt of a caller who is not known for an email address, with its hash. At most
   * `runningMax` strangers ask for a place at a time.
   */
  async runForStranger<T>(
    email: string,
    attempt: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    return this.perAddress.run(() => this.strangers.run(attempt, signal), email);
  }
}
