/** Time limits of settlement runs. */
export interface SettlementRunsOptions {
  readonly runMsMax: number;
  /** Monotonic. */
  readonly nowMs: () => number;
}

/**
 * Settlements in flight in this process, one per key. A settlement may outlast its caller's
 * deadline. It continues without the caller and stores its decisions meter by meter; a retry joins
 * it instead of starting another one.
 */
export class SettlementRuns<Result> {
  private readonly running = new Map<string, Promise<Result>>();
  private readonly startedMs = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(readonly options: SettlementRunsOptions) {}

  /**
   * Joins the run with that name, or starts it. Waits until it completes or the caller's signal
   * aborts. `run` stops early when its own signal aborts.
   */
  async join(
    name: string,
    callerSignal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const running = this.running.get(name) ?? this.begin(name, run);
    return untilAborted(running, callerSignal);
  }

  /** Age of the oldest run in ms; 0 without a run. */
  longestMs(): number {
    const [first] = this.startedMs.values();
    return first === undefined ? 0 : this.options.nowMs() - first;
  }

  /** Aborts all runs and waits for them. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.running.values());
  }

  private begin(name: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const timeout = AbortSignal.timeout(this.options.runMsMax);
    this.startedMs.set(name, this.options.nowMs());
    const running = run(AbortSignal.any([timeout, this.stopping.signal])).finally(() => {
      this.running.delete(name);
      this.startedMs.delete(name);
    });
    this.running.set(name, running);
    return running;
  }
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new Error('Caller is gone'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
