/** The earliest message of an aggregate that failed. */
interface Failed {
  readonly sequence: number;
  readonly failures: number;
  readonly repeatedAtMs: number;
}

const repeatDelaysMs = [1_000, 5_000, 30_000, 60_000];
// Later messages come back a little after the failed one, and wait for it so long at most: it may have gone to another process.
const followDelayMs = 100;
const followLimitMs = 5_000;

/**
 * Keeps an aggregate's messages in order when one of them fails and comes again later: its later messages have to wait until it has
 * succeeded. Times are monotonic milliseconds.
 */
export class AggregateOrder {
  private readonly failed = new Map<string, Failed>();

  /** How long a message has to wait for an earlier one; undefined if it may be handled now. */
  waitMs(aggregateId: string, sequence: number, nowMs: number): number | undefined {
    const failed = this.failed.get(aggregateId);
    if (failed === undefined || sequence <= failed.sequence) return undefined;
    if (isForgotten(failed, nowMs)) return undefined;
    return Math.max(failed.repeatedAtMs - nowMs, 0) + followDelayMs;
  }

  /** Notes that a message failed; gives the time after which it is repeated, longer each time. */
  repeatAfterMs(aggregateId: string, sequence: number, nowMs: number): number {
    const earlier = this.failed.get(aggregateId);
    const failures = earlier?.sequence === sequence ? earlier.failures + 1 : 1;
    const delayMs = repeatDelaysMs[Math.min(failures, repeatDelaysMs.length) - 1] ?? 0;
    this.failed.set(aggregateId, { sequence, failures, repeatedAtMs: nowMs + delayMs });
    return delayMs;
  }

  /** Notes that a message needs no repetition. */
  finish(aggregateId: string, sequence: number): void {
    if (this.failed.get(aggregateId)?.sequence === sequence) this.failed.delete(aggregateId);
  }

  /** Forgets failed messages that did not come again. */
  forgetAbsent(nowMs: number): void {
    for (const [aggregateId, failed] of this.failed) {
      if (isForgotten(failed, nowMs)) this.failed.delete(aggregateId);
    }
  }

  /** Forgets everything, when sequences begin anew. */
  clear(): void {
    this.failed.clear();
  }
}

function isForgotten({ repeatedAtMs }: Failed, nowMs: number): boolean {
  return nowMs > repeatedAtMs + followLimitMs;
}
