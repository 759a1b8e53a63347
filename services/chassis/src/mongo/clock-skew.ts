import type { Clock } from '../clock';
import type { Logger } from '../telemetry/logging';

/** A difference above this is logged. */
const warnAboveMs = 30_000;

/** Dependencies of the comparison of clocks. */
export interface ClockSkewDependencies {
  /** Reads the clock of the database. */
  readonly databaseTime: () => Promise<Date>;
  readonly clock: Clock;
  /** Monotonic time. */
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/**
 * Compares the clock of this process with the database's. The rules about late events, omitted
 * timestamps and dunning read the clock of the process.
 */
export class ClockSkew {
  private lastMs: number | undefined;

  constructor(private readonly dependencies: ClockSkewDependencies) {}

  /** The last difference; positive: the process is ahead. Undefined before the first comparison. */
  get seconds(): number | undefined {
    return this.lastMs === undefined ? undefined : this.lastMs / 1_000;
  }

  async measure(): Promise<void> {
    const { databaseTime, clock, nowMs, logger } = this.dependencies;
    const startedMs = nowMs();
    const startedAt = clock.now();
    const answered = await databaseTime();
    // The database read its clock about halfway.
    const halfMs = (nowMs() - startedMs) / 2;
    const skewMs = startedAt.getTime() + halfMs - answered.getTime();
    this.lastMs = skewMs;
    if (Math.abs(skewMs) > warnAboveMs) {
      logger.warn({ skewSeconds: skewMs / 1_000 }, 'clock differs from the database');
    }
  }
}
