/** Work that is retried until it succeeds. */
export type Work = () => Promise<void>;

/** Bounds of the queue, and its reaction to failures. */
export interface KeyedRetryQueueOptions {
  readonly runningMax: number;
  /** Beyond this, submitted work is dropped; the submitter finds and submits it again later. */
  readonly waitingMax: number;
  /** Delay after this number of consecutive failures. */
  readonly retryDelayMs: (failures: number) => number;
  readonly onFailure: (failure: { key: string; error: unknown; failures: number }) => void;
  /** Called when no work of the key runs, waits or pauses any more. */
  readonly onIdle?: (key: string) => void;
}

/**
 * Runs one job per key, and a bounded number in all, in the order of arrival. Work submitted while
 * its key runs means one more run. Failed work is retried with backoff.
 */
export class KeyedRetryQueue {
  private readonly running = new Map<string, Promise<void>>();
  private readonly waiting = new Map<string, Work>();
  private readonly pausing = new Map<string, NodeJS.Timeout>();
  private readonly failures = new Map<string, number>();
  private isStopped = false;

  constructor(private readonly options: KeyedRetryQueueOptions) {}

  get isFull(): boolean {
    return this.waiting.size >= this.options.waitingMax;
  }

  /** True if work of the key runs, or waits for a free place. */
  isBusy(key: string): boolean {
    return this.running.has(key) || this.waiting.has(key);
  }

  isIdle(key: string): boolean {
    return !this.isBusy(key) && !this.pausing.has(key);
  }

  submit(key: string, work: Work): void {
    if (this.isStopped || this.isFull || this.pausing.has(key)) return;
    this.waiting.set(key, work);
    this.startNext();
  }

  /** Ends the pause after a failure, so that work of the key may run now. */
  endPause(key: string): void {
    clearTimeout(this.pausing.get(key));
    this.pausing.delete(key);
  }

  /** Waits for running work and drops the rest. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.waiting.clear();
    for (const timer of this.pausing.values()) clearTimeout(timer);
    await Promise.all(this.running.values());
  }

  private startNext(): void {
    for (const [key, work] of this.waiting) {
      if (this.running.size >= this.options.runningMax) return;
      if (this.running.has(key)) continue;
      this.waiting.delete(key);
      this.running.set(key, this.run(key, work));
    }
  }

  private async run(key: string, work: Work): Promise<void> {
    try {
      await work();
      this.failures.delete(key);
    } catch (error) {
      this.pause(key, error, work);
    } finally {
      this.running.delete(key);
      this.startNext();
      if (this.isIdle(key)) this.options.onIdle?.(key);
    }
  }

  private pause(key: string, error: unknown, work: Work): void {
    const { onFailure, retryDelayMs, waitingMax } = this.options;
    const failures = (this.failures.get(key) ?? 0) + 1;
    onFailure({ key, error, failures });
    // If very many keys fail, those over the bound are left to the submitter.
    if (this.isStopped || this.pausing.size >= waitingMax) return;
    this.failures.set(key, failures);
    this.waiting.delete(key);
    const timer = setTimeout(() => {
      this.pausing.delete(key);
      this.submit(key, work);
    }, retryDelayMs(failures));
    this.pausing.set(key, timer);
  }
}
