/** What an aggregate has reached permanently, by name, with the real time of the write that reached it. */
export type FirstReachedTimestamps = Readonly<Record<string, Date>>;

/** Where a document notes them. */
export interface FirstReachedFields {
  readonly milestones?: FirstReachedTimestamps;
  /** The latest of them; absent as long as there is none. */
  readonly milestonesAt?: Date;
}

/** Makes a write that reaches something in an environment; `at` is the time that it notes. */
export type FirstReachedWriter = <T>(
  step: { readonly environmentId: string; readonly at: Date },
  write: () => Promise<T>,
) => Promise<T>;

/** The fields after a write that takes place at `now`, real time: what was reached before keeps its time. */
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

/** The time that a write notes for what it reaches first; undefined where it reaches nothing. */
export function newlyReachedAt(
  before: FirstReachedFields | undefined,
  { milestones = {} }: FirstReachedFields,
): Date | undefined {
  const noted = before?.milestones ?? {};
  return Object.entries(milestones).find(([name]) => noted[name] === undefined)?.[1];
}

/** What was reached from `from` on and, where it is given, before `until`. */
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

// The clocks of two replicas differ a little.
function later(now: Date, before: Date | undefined): Date {
  return before !== undefined && before > now ? before : now;
}
