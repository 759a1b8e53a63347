/** An endpoint that does nothing but fail for this long is disabled. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000;

/** Whether an endpoint that fails since then has failed for too long. */
export function isBeyondHope(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= failingMsMax;
}
