import { sandboxProblems } from '@billing/kernel/input/sandbox';
import { refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

export type EnvironmentKind = 'LIVE' | 'SANDBOX';
export type ClockKind = 'REAL' | 'MANUAL';

/** A space of data of its own, with its own time. */
export interface Environment {
  readonly id: string;
  readonly kind: EnvironmentKind;
  /** For people; empty when none was given. */
  readonly name: string;
  readonly clock: RealClock | ManualClock;
  /** Real time of its deletion; absent: none. Its keys end at once, and all that is left of it afterwards. */
  readonly deletedAt?: Date | undefined;
  /** Real time from which it is deleted unless it is used before; absent: not announced. */
  readonly deletesAt?: Date | undefined;
  /** Real time of the last requested advance; absent: none. */
  readonly advancedAt?: Date | undefined;
}

/** Business time is the wall clock's. */
export interface RealClock {
  readonly kind: 'REAL';
}

/** A clock that stands still until it is advanced, and the jumps that were asked of it. */
export interface ManualClock {
  readonly kind: 'MANUAL';
  /** Business time. Only the holder of the lease moves it, and never back. */
  readonly now: Date;
  /** In the order in which they were asked for; the first one is under way, the others wait for it. */
  readonly jumps: readonly Jump[];
  /** The last jumps that are done, oldest first: whoever watched one reads its result here. */
  readonly landings: readonly Landing[];
  /** Who carries out the jumps; undefined exactly while there is none. */
  readonly lease: Lease | undefined;
}

/** A stored wish to go to an instant; it outlives the call that made it. */
export interface Jump {
  readonly id: string;
  readonly to: Date;
  /** Due documents handled so far. */
  readonly processed: number;
  /** Ends after its present instant; absent: false. */
  readonly stopped?: boolean;
}

/** A jump that is done. */
export interface Landing {
  readonly id: string;
  /** The environment's time then. */
  readonly now: Date;
  readonly processed: number;
  /** Ended before its target, because a caller asked for it; absent: false. */
  readonly stopped?: boolean;
}

/** The sole right to move a clock, in real time: after `until` anybody may take it. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

/** What its maker chooses about a sandbox. */
export interface SandboxWish {
  readonly name: string;
  readonly clock: ClockKind;
  readonly startsAt: Date | undefined;
}

/** The organisation's only environment with real money; its clock is always real. */
export function openLive(id: string): Transition<Environment> {
  return only({ id, kind: 'LIVE', name: '', clock: { kind: 'REAL' } });
}

/** A sandbox; a manual clock starts at `startsAt` or at real time `now`. */
export function openSandbox(
  id: string,
  { name, clock, startsAt }: SandboxWish,
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

/** Deletes a sandbox from real time `now` on: the command deletes what services have of it. */
export function deleteSandbox(environment: Environment, now: Date): Transition<Environment> {
  return {
    state: { ...environment, deletedAt: now },
    events: [],
    commands: [{ type: 'deleteEnvironment', payload: {} }],
  };
}

/** The environment's business time, where `now` is real time. */
export function timeOf({ clock }: Environment, now: Date): Date {
  return clock.kind === 'MANUAL' ? clock.now : now;
}

function startClock(now: Date): ManualClock {
  return { kind: 'MANUAL', now, jumps: [], landings: [], lease: undefined };
}
