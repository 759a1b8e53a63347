/** What is remembered of an endpoint's answers, in real time. */
export interface EndpointHealth {
  /** A time of success, at most an hour older than the last one. */
  readonly succeededAt: Date | undefined;
  /** The first failure after the last success that is remembered. */
  readonly failingSince: Date | undefined;
}

/** An endpoint that does nothing but fail for this long is disabled. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000;

/** A success is written down this often at most: a healthy endpoint costs next to nothing, and five days do not notice an hour. */
export const successWrittenEveryMs = 60 * 60 * 1_000;

/** Since when the endpoint has done nothing but fail, given that it has just failed again. */
export function failingSince(
  { succeededAt, failingSince: since }: EndpointHealth,
  now: Date,
): Date {
  if (since === undefined || (succeededAt !== undefined && succeededAt >= since)) return now;
  return since;
}

/** Whether an endpoint that fails since then has failed for too long. */
export function isBeyondHope(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= failingMsMax;
}
