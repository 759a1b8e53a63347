/** Settlements in flight in this process. */
export class RunningSettlements {
  // In order of start.
  private readonly startedMs = new Map<symbol, number>();

  constructor(
    private readonly options: {
      /** Monotonic. */
      readonly nowMs: () => number;
      /** Called at the end of each settlement. */
      readonly onEnd: (settlement: { readonly durationMs: number }) => void;
    },
  ) {}

  async run<Result>(settlement: () => Promise<Result>): Promise<Result> {
    const { nowMs, onEnd } = this.options;
    const key = Symbol();
    const startedMs = nowMs();
    this.startedMs.set(key, startedMs);
    try {
      return await settlement();
    } finally {
      this.startedMs.delete(key);
      onEnd({ durationMs: nowMs() - startedMs });
    }
  }

  /** Age of the oldest one in ms; 0 if there is none. */
  longestMs(): number {
    const [first] = this.startedMs.values();
    return first === undefined ? 0 : this.options.nowMs() - first;
  }
}
