// A gateway asks for a key in use every four seconds, each time another replica.
const useWindowMs = 20_000;
// Less is not steady use: a caller that only creates a sandbox and its webhooks, for example.
const usesMin = 3;
// Pause per other advance, as a multiple of the last step: all advances together work for about
// half of the time.
const pausePerStep = 3;
// Live environments in steady use count as so many other advances.
const liveWeight = 2;
const pauseMsMax = 2_000;

/**
 * Records when live environments last used the replicas of this service. Each replica sees a share
 * of the uses, and learns the counts of the others with their heartbeats.
 */
export class LiveUse {
  private readonly notedMs: number[] = [];
  private count = 0;
  private others: ReadonlyMap<string, number> = new Map();

  constructor(private readonly nowMs: () => number) {}

  /** Records a use of this replica. */
  note(): void {
    this.count += 1;
    this.add();
  }

  own(): number {
    return this.count;
  }

  /** Records the uses of other replicas since the last call, as of now. */
  observe(counts: ReadonlyMap<string, number>): void {
    for (const [replica, count] of counts) {
      const known = this.others.get(replica) ?? count;
      for (let use = 0; use < Math.min(count - known, usesMin); use += 1) this.add();
    }
    this.others = new Map(counts);
  }

  private add(): void {
    this.notedMs.push(this.nowMs());
    if (this.notedMs.length > usesMin) this.notedMs.shift();
  }

  /** True while live environments are in steady use. */
  get isSteady(): boolean {
    const [first = -Infinity] = this.notedMs;
    return this.notedMs.length === usesMin && this.nowMs() - first < useWindowMs;
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
