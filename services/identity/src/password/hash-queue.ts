import { InFlightLimit, Semaphore } from '@billing/chassis/semaphore';
import { DomainError } from '@billing/kernel/domain-error';

/** Limits of running and waiting work. */
export interface HashQueueLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Running and waiting work of callers who are not known, for one email address. */
  readonly perAddressMax: number;
}

/** The caller of a hash. */
export interface HashCaller {
  readonly signal: AbortSignal;
  /** Typed email address of a caller who is not known for it; undefined for all others. */
  readonly strangerTo?: string | undefined;
}

/**
 * Runs a few password hashes at a time, the others wait in order. When the queue is full, the next
 * one is refused immediately; a hash whose caller has gone leaves the queue and is never computed.
 * Callers who are not known wait in a queue of their own: a known one waits for a running hash and
 * for other known ones, however many strangers there are.
 */
export class HashQueue {
  private readonly places: Semaphore;
  private readonly strangers: Semaphore;
  private readonly perAddress: InFlightLimit;

  constructor({ runningMax, waitingMax, perAddressMax }: HashQueueLimits) {
    const refusal = () =>
      new DomainError('unavailable', 'TOO_MANY_PASSWORDS', 'Service unavailable');
    this.places = new Semaphore(runningMax, { waitingMax, refusal });
    // At most `runningMax` strangers ask for a place at a time.
    this.strangers = new Semaphore(runningMax, { waitingMax, refusal });
    this.perAddress = new InFlightLimit(perAddressMax, refusal);
  }

  async run<T>(work: () => Promise<T>, { signal, strangerTo }: HashCaller): Promise<T> {
    signal.throwIfAborted();
    const hash = () => this.places.run(work, signal);
    if (strangerTo === undefined) return hash();
    return this.perAddress.run(() => this.strangers.run(hash, signal), strangerTo);
  }
}
