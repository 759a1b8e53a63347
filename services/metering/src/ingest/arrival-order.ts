// A batch has at most 1,000 events. A safe integer holds 1,000 positions per millisecond.
const positionsPerMs = 1000;

/**
 * Assigns events their position in the order of arrival, by real time. Positions are unique per
 * process.
 */
export class ArrivalOrder {
  private next = 0;

  /** Reserves `count` positions and returns the first. */
  reserve(realNow: Date, count: number): number {
    const first = Math.max(realNow.getTime() * positionsPerMs, this.next);
    this.next = first + count;
    return first;
  }
}
