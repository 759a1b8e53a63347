/** How long settlements may take. */
export interface SettlementRunsOptions {
  readonly runMsMax: number;
  /** Monotonic. */
  readonly nowMs: () => number;
}

/**
 * Settlements under way in this process. One may take longer than its caller waits: it goes on without them, keeps what it has decided
 * meter by meter, and whoever repeats the call waits for it instead of beginning another one.
 */
export class SettlementRuns<Result> {
  private readonly running = new Map<string, Promise<Result>>();
  private readonly startedMs = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(readonly options: SettlementRunsOptions) {}

  /** Waits for the run of that name, begun here where there is none, or until the caller's signal aborts. `run` ends early with its own. */
  async join(
    name: string,
    callerSignal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const running = this.running.get(name) ?? this.begin(name, run);
    return untilAborted(running, callerSignal);
  }

  /** How long the run has lasted that began first; 0 without one. */
  longestMs(): number {
    const [first] = this.startedMs.values();
    return first === undefined ? 0 : this.options.nowMs() - first;
  }

  /** Has all runs end soon, and waits for that. */
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
      reject(reason instanceof Error ? reason : new Error('Nobody waits any more'));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
