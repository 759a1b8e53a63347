import { DomainError } from '@billing/kernel/domain-error';

/** Limits of running and waiting work. */
export interface HashQueueLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
}

interface Waiting {
  readonly start: () => void;
}

/**
 * Runs a few password hashes at a time, the others wait in order. When the queue is full, the next
 * one is refused immediately; a hash whose caller has gone leaves the queue and is never computed.
 */
export class HashQueue {
  private running = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly limits: HashQueueLimits) {}

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.running >= this.limits.runningMax) await this.wait(signal);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.limits.waitingMax) {
      throw new DomainError('unavailable', 'TOO_MANY_PASSWORDS', 'Service unavailable');
    }
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.waiting.delete(one);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.add(one);
    });
  }

  /** Passes the place to the next caller; without one the place is free. */
  private next(): void {
    const [first] = this.waiting;
    if (first === undefined) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(first);
    first.start();
  }
}
