/** Real time of the write that first reached each step, by the step's name. */
type FirstReachedTimestamps = Readonly<Record<string, Date>>;

/** Fields of a document with its first-reached timestamps. */
export interface FirstReachedFields {
  readonly milestones?: FirstReachedTimestamps;
  /** The latest timestamp; absent while there is none. */
  readonly milestonesAt?: Date;
}

/** Runs a write that reaches a step for the first time; `at` is the timestamp that it stores. */
export type FirstReachedWriter = <T>(
  step: { readonly environmentId: string; readonly at: Date },
  write: () => Promise<T>,
) => Promise<T>;

/**
 * Returns the fields after a write at `now` (real time). Steps reached before keep their
 * timestamps.
 */
export function recordFirstReached(
  { milestones, milestonesAt }: FirstReachedFields,
  reached: readonly string[],
  now: Date,
): FirstReachedFields {
  const fresh = reached.filter((name) => milestones?.[name] === undefined);
  if (fresh.length === 0) return milestones === undefined ? {} : fieldsOf(milestones, milestonesAt);
  return fieldsOf(
    { ...milestones, ...Object.fromEntries(fresh.map((name) => [name, now])) },
    later(now, milestonesAt),
  );
}

/** Timestamp of the steps that this write reaches first, if any. */
export function newlyReachedAt(
  before: FirstReachedFields | undefined,
  { milestones = {} }: FirstReachedFields,
): Date | undefined {
  const reachedBefore = before?.milestones ?? {};
  return Object.entries(milestones).find(([name]) => reachedBefore[name] === undefined)?.[1];
}

/** Returns the steps reached from `from` on and, if given, before `until`. */
export function firstReachedBetween(
  { milestones = {} }: FirstReachedFields,
  { from, until }: { readonly from: Date; readonly until?: Date | undefined },
): string[] {
  return Object.entries(milestones)
    .filter(([, at]) => at >= from && (until === undefined || at < until))
    .map(([name]) => name);
}

function fieldsOf(
  milestones: FirstReachedTimestamps,
  milestonesAt: Date | undefined,
): FirstReachedFields {
  return { milestones, ...(milestonesAt !== undefined && { milestonesAt }) };
}

// Clocks of two replicas differ a little.
function later(now: Date, before: Date | undefined): Date {
  return before !== undefined && before > now ? before : now;
}
