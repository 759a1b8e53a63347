// A gateway asks for a key in use every four seconds, and not always the same replica.
const inUseMs = 15_000;
// Shorter advances run at full speed.
const fullSpeedSteps = 100;
// Pauses as multiples of the last step, per other advance. With 3, all advances together work for
// about half of the time; with 5, for about a third.
const pausePerStep = { forAdvances: 3, forLive: 5 };
const pauseMsMax = 2_000;

/** Remembers when a live environment last used this replica. */
export class LiveUse {
  private lastMs = -Infinity;

  constructor(private readonly nowMs: () => number) {}

  note(): void {
    this.lastMs = this.nowMs();
  }

  get isInUse(): boolean {
    return this.nowMs() - this.lastMs < inUseMs;
  }
}

/**
 * Returns how long an advance pauses between two instants, in milliseconds, so that others keep
 * their share of services and database. An advance that runs alone pauses only while a live
 * environment is in use, and once it has passed many instants.
 */
export function pauseMsBetweenSteps({
  stepMs,
  steps,
  otherAdvances,
  isLiveInUse,
}: {
  readonly stepMs: number;
  /** Instants that the advance has passed. */
  readonly steps: number;
  readonly otherAdvances: number;
  readonly isLiveInUse: boolean;
}): number {
  const yieldsToLive = isLiveInUse && steps >= fullSpeedSteps;
  const pausedSteps = yieldsToLive
    ? pausePerStep.forLive * Math.max(1, otherAdvances)
    : pausePerStep.forAdvances * otherAdvances;
  return Math.min(pausedSteps * stepMs, pauseMsMax);
}
