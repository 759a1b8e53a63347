// A batch has at most a thousand events, and a whole number holds that many places in each millisecond.
const placesOfMs = 1000;

/** Gives events their places in the order of arrival, in real time. No two events of one process get the same. */
export class ArrivalOrder {
  private next = 0;

  /** The first of `count` places. */
  take(realNow: Date, count: number): number {
    const first = Math.max(realNow.getTime() * placesOfMs, this.next);
    this.next = first + count;
    return first;
  }
}
