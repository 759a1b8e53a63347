// A gateway asks for a key in use every four seconds, each of two replicas every eight.
const useWindowMs = 20_000;
// Less is not steady use: a caller that only creates a sandbox and its webhooks, for example.
const notesMin = 3;
// Pause per other advance, as a multiple of the last step: all advances together work for about
// half of the time.
const pausePerStep = 3;
// Live environments in steady use count as so many other advances.
const liveWeight = 2;
const pauseMsMax = 2_000;

/** Remembers when live environments last used this replica. */
export class LiveUse {
  private readonly notedMs: number[] = [];

  constructor(private readonly nowMs: () => number) {}

  note(): void {
    this.notedMs.push(this.nowMs());
    if (this.notedMs.length > notesMin) this.notedMs.shift();
  }

  /** True while live environments are in steady use. */
  get isSteady(): boolean {
    const [first = -Infinity] = this.notedMs;
    return this.notedMs.length === notesMin && this.nowMs() - first < useWindowMs;
  }
}

/**
 * Returns how long an advance pauses between two instants, in milliseconds, so that others keep
 * their share of services and database.
 */
export function pauseMsBetweenSteps({
  stepMs,
  otherAdvances,
  isLiveInUse,
}: {
  readonly stepMs: number;
  readonly otherAdvances: number;
  readonly isLiveInUse: boolean;
}): number {
  const others = otherAdvances + (isLiveInUse ? liveWeight : 0);
  return Math.min(pausePerStep * others * stepMs, pauseMsMax);
}
