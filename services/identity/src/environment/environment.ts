import { sandboxProblems } from '@billing/kernel/input/sandbox';
import { refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

export type EnvironmentKind = 'LIVE' | 'SANDBOX';
export type ClockKind = 'REAL' | 'MANUAL';

/** A separate space of data, with its own time. */
export interface Environment {
  readonly id: string;
  readonly kind: EnvironmentKind;
  /** Display name; empty when none was given. */
  readonly name: string;
  readonly clock: RealClock | ManualClock;
  /**
   * Real time of its deletion; absent: none. Its keys end immediately, its remaining data
   * afterwards.
   */
  readonly deletedAt?: Date | undefined;
  /** Real time from which it is deleted unless it is used before; absent: not announced. */
  readonly deletesAt?: Date | undefined;
  /** Real time of the last requested advance; absent: none. */
  readonly advancedAt?: Date | undefined;
}

/** Environment time follows the wall clock. */
interface RealClock {
  readonly kind: 'REAL';
}

/** A clock that is moved by advances alone, with its stored advances. */
export interface ManualClock {
  readonly kind: 'MANUAL';
  /** Environment time. Only the holder of the lease moves it, and never back. */
  readonly now: Date;
  /** Advances in order of request; the first one is running, the others wait for it. */
  readonly advances: readonly ClockAdvance[];
  /** The results of the last advances, oldest first: waiting callers read their result here. */
  readonly landings: readonly ClockAdvanceResult[];
  /** Right to carry out the advances; undefined exactly while there are none. */
  readonly lease: Lease | undefined;
  /** Calls that wait for an advance; of those that have ended some may be left. */
  readonly waiting: readonly WaitingCall[];
}

/** A call that waits for an advance, at any replica. */
export interface WaitingCall {
  /** Made for the call by its replica, because callers choose their request ids. */
  readonly id: string;
  readonly advanceId: string;
  /** Real time at which it stops waiting. */
  readonly until: Date;
  /** Replica that holds the call; absent in documents of earlier releases. */
  readonly replica?: string;
  /** Real time at which it began to wait; absent in documents of earlier releases. */
  readonly since?: Date;
}

/** A stored request to advance to an instant; it outlives the call that made it. */
export interface ClockAdvance {
  readonly id: string;
  readonly to: Date;
  /** Number of due documents handled so far. */
  readonly processed: number;
  /** True: ends after its present instant; absent: false. */
  readonly stopped?: boolean;
}

/** A finished advance. */
export interface ClockAdvanceResult {
  readonly id: string;
  /** The environment's time at its end. */
  readonly now: Date;
  readonly processed: number;
  /** True: ended before its target, because a caller stopped it; absent: false. */
  readonly stopped?: boolean;
}

/** The exclusive right to move a clock, in real time: after `until` any worker may claim it. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

/** A stored sandbox. */
export interface StoredSandbox {
  readonly id: string;
  readonly isDeleted: boolean;
}

/** The caller's choices for a new sandbox. */
export interface SandboxInput {
  readonly name: string;
  readonly clock: ClockKind;
  readonly startsAt: Date | undefined;
}

/** Creates the organization's only environment with real money; its clock is always real. */
export function openLive(id: string): Transition<Environment> {
  return only({ id, kind: 'LIVE', name: '', clock: { kind: 'REAL' } });
}

/** Creates a sandbox; a manual clock starts at `startsAt` or at real time `now`. */
export function openSandbox(
  id: string,
  { name, clock, startsAt }: SandboxInput,
  now: Date,
): Transition<Environment> {
  const isManual = clock === 'MANUAL';
  const trimmed = name.trim();
  refuseProblems(sandboxProblems({ name, clock, startsAt }));
  return only({
    id,
    kind: 'SANDBOX',
    name: trimmed,
    clock: isManual ? startClock(startsAt ?? now) : { kind: 'REAL' },
  });
}

/** Renames a sandbox. */
export function rename(environment: Environment, name: string): Transition<Environment> {
  const trimmed = name.trim();
  refuseProblems(sandboxProblems({ name }));
  return trimmed === environment.name
    ? unchanged(environment)
    : only({ ...environment, name: trimmed });
}

/** Deletes a sandbox at real time `now`: the command deletes its data in all services. */
export function deleteSandbox(environment: Environment, now: Date): Transition<Environment> {
  return {
    state: { ...environment, deletedAt: now },
    events: [],
    commands: [{ type: 'deleteEnvironment', payload: {} }],
  };
}

/** Withdraws the notice of a deletion; without one nothing changes. */
export function withdrawNotice(environment: Environment): Transition<Environment> {
  const isAnnounced = environment.deletesAt !== undefined && environment.deletedAt === undefined;
  return isAnnounced ? only({ ...environment, deletesAt: undefined }) : unchanged(environment);
}

/** Environment time, where `now` is real time. */
export function timeOf({ clock }: Environment, now: Date): Date {
  return clock.kind === 'MANUAL' ? clock.now : now;
}

function startClock(now: Date): ManualClock {
  return { kind: 'MANUAL', now, advances: [], landings: [], lease: undefined, waiting: [] };
}
