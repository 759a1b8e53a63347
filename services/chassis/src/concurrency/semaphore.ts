import { DomainError } from '@billing/kernel/domain-error';

/** Bound of a semaphore's queue. */
export interface QueueLimit {
  readonly waitingMax: number;
  readonly refusal: () => Error;
}

/**
 * Semaphore with a FIFO queue: runs a number of calls concurrently, and queues the rest. With a
 * limit, calls that find the queue full are refused immediately.
 */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];
  private used = 0;

  constructor(
    private readonly max: number,
    private readonly queueLimit?: QueueLimit,
  ) {}

  /** Number of calls in the queue. */
  get queued(): number {
    return this.waiting.length;
  }

  /** Number of calls that hold a slot. */
  get inUse(): number {
    return this.used;
  }

  /**
   * Runs the call in a slot. A call whose signal aborts while it waits leaves the queue and rejects
   * with the signal's reason.
   */
  async run<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.used < this.max) this.used += 1;
    else await this.waitForSlot(signal);
    try {
      return await call();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.used -= 1;
      else next();
    }
  }

  private waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const limit = this.queueLimit;
      if (limit !== undefined && this.waiting.length >= limit.waitingMax) {
        reject(limit.refusal());
        return;
      }
      this.waiting.push(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

/**
 * Limits concurrent calls, separately for each key. Refuses calls over the maximum before any work
 * is done for them, instead of queueing them, so that calls never wait longer than their callers
 * do.
 */
export class InFlightLimit {
  private readonly running = new Map<string, number>();

  constructor(
    private readonly max: number,
    private readonly refusal: () => Error = overloaded,
  ) {}

  async run<T>(call: () => Promise<T>, key = ''): Promise<T> {
    const count = this.running.get(key) ?? 0;
    if (count >= this.max) throw this.refusal();
    this.running.set(key, count + 1);
    try {
      return await call();
    } finally {
      const left = (this.running.get(key) ?? 1) - 1;
      if (left > 0) this.running.set(key, left);
      else this.running.delete(key);
    }
  }
}

function overloaded(): DomainError {
  return new DomainError('unavailable', 'OVERLOADED', 'Service unavailable');
}
