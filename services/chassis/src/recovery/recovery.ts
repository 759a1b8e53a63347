/** Restore of a whole system to one instant. */
export interface Restore {
  readonly id: string;
  /** Stands in the numbers of documents and in the events that are made after the restore. */
  readonly code: string;
  /** Real time at which the databases were closed. */
  readonly at: Date;
  /** Time of the data. */
  readonly instant: Date;
}

/** Restore that a system recovers from. */
export interface RecoveryContext {
  readonly restore: Restore;
  /** One hour before the instant: what has changed since then may be missing elsewhere. */
  readonly since: Date;
}

/** Numbers of what a step has found and done, for the report. */
export type StepCounts = Readonly<Record<string, number>>;

/** Step of `reconcile` for which a service has code of its own. */
export type RecoveryStep = 'reassert' | 'provider' | 'catchUp' | 'match';

/** Work of a service in each step. A step may run again after a crash. */
export type RecoveryWork = Partial<
  Record<RecoveryStep, (context: RecoveryContext) => Promise<StepCounts>>
>;

/** Steps that every service takes, in their order; the services wait for each other in between. */
export const recoverySteps = ['fence', 'reassert', 'provider', 'catchUp', 'match'] as const;

const sinceMs = 60 * 60_000;

export function recoveryContextOf(restore: Restore): RecoveryContext {
  return { restore, since: new Date(restore.instant.getTime() - sinceMs) };
}
