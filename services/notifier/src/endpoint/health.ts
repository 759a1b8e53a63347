/** An endpoint without a success for this long is disabled. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000;

/**
 * True if an endpoint that has failed since `failingSince` must be disabled; failures before
 * `countFrom` are ignored.
 */
export function hasFailedTooLong(
  since: Date,
  { now, countFrom = since }: { now: Date; countFrom?: Date | undefined },
): boolean {
  return now.getTime() - Math.max(since.getTime(), countFrom.getTime()) >= failingMsMax;
}
