/** What an aggregate has reached permanently, by name, with the real time of the write that reached it. */
export type Milestones = Readonly<Record<string, Date>>;

/** Where a document notes them. */
export interface MilestoneFields {
  readonly milestones?: Milestones;
  /** The latest of them; absent as long as there is none. */
  readonly milestonesAt?: Date;
}

/** Makes a write that reaches something in an environment; `at` is the time that it notes. */
export type MilestoneWriter = <T>(
  milestone: { readonly environmentId: string; readonly at: Date },
  write: () => Promise<T>,
) => Promise<T>;

/** The fields after a write that takes place at `now`, real time: what was reached before keeps its time. */
export function noteMilestones(
  { milestones, milestonesAt }: MilestoneFields,
  reached: readonly string[],
  now: Date,
): MilestoneFields {
  const fresh = reached.filter((name) => milestones?.[name] === undefined);
  if (fresh.length === 0) return milestones === undefined ? {} : asNoted(milestones, milestonesAt);
  return asNoted(
    { ...milestones, ...Object.fromEntries(fresh.map((name) => [name, now])) },
    later(now, milestonesAt),
  );
}

/** The time that a write notes for what it reaches first; undefined where it reaches nothing. */
export function newlyReachedAt(
  before: MilestoneFields | undefined,
  { milestones = {} }: MilestoneFields,
): Date | undefined {
  const noted = before?.milestones ?? {};
  return Object.entries(milestones).find(([name]) => noted[name] === undefined)?.[1];
}

/** What was reached from `from` on and, where it is given, before `until`. */
export function milestonesBetween(
  { milestones = {} }: MilestoneFields,
  { from, until }: { readonly from: Date; readonly until?: Date | undefined },
): string[] {
  return Object.entries(milestones)
    .filter(([, at]) => at >= from && (until === undefined || at < until))
    .map(([name]) => name);
}

function asNoted(milestones: Milestones, milestonesAt: Date | undefined): MilestoneFields {
  return { milestones, ...(milestonesAt !== undefined && { milestonesAt }) };
}

// The clocks of two replicas differ a little.
function later(now: Date, before: Date | undefined): Date {
  return before !== undefined && before > now ? before : now;
}
