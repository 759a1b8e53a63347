/** An endpoint that does nothing but fail for this long is disabled. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000;

/** Whether an endpoint that fails since then has failed for too long; what failed before `countFrom` says nothing. */
export function isBeyondHope(
  since: Date,
  { now, countFrom = since }: { now: Date; countFrom?: Date | undefined },
): boolean {
  return now.getTime() - Math.max(since.getTime(), countFrom.getTime()) >= failingMsMax;
}
