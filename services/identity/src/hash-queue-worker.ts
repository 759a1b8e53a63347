import { DomainError } from '@billing/kernel/domain-error';

/** How much work may run and wait. */
export interface HashQueueLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
}

interface Waiting {
  readonly start: () => void;
}

/**
 * Lets few password hashes run at a time, the others wait in order. Where too many wait, the next is refused at once; one whose caller has
 * gone away leaves the queue and is never made.
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

  /** Hands the place on; without a caller who waits it is free. */
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
