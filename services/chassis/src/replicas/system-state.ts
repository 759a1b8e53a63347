import { DomainError } from '@billing/kernel/domain-error';
import type { Restore, StepCounts } from '../recovery/recovery';

/**
 * State of a system: whether its services may write and serve. RECOVERING from a restore until
 * `reconcile` has compared the services with each other and with the payment provider.
 */
export type SystemState = 'OPEN' | 'PAUSED' | 'RECOVERING' | 'MOVED';

/** Lease of the command that pauses writes. */
export interface Pause {
  /** Identifies one run of the command. */
  readonly id: string;
  /** Counts up; readers measure by their own clocks since when it stands still. */
  readonly beat: number;
  /** Real time of the last beat. */
  readonly at: Date;
}

/** State of a system, as stored in each database. Absent: OPEN. */
export interface SystemDocument {
  readonly _id: 'system';
  /** A state that this release does not know counts as OPEN. */
  readonly state: string;
  readonly pause?: Pause;
  /** Instant of the final backup that moved the data. */
  readonly instant?: Date;
  /** While RECOVERING: the restore; absent until all databases are restored. */
  readonly restore?: Restore;
  /** Last step that `reconcile` has requested. */
  readonly step?: string;
  /** Counts of the steps that are done, by step. */
  readonly done?: Readonly<Record<string, StepCounts>>;
  /** Lease of the replica that takes the step. */
  readonly lease?: { readonly replica: string; readonly at: Date };
}

/** True while RECOVERING once the services exchange events and commands again. */
export function exchangesMessages({ restore, step }: SystemDocument): boolean {
  return restore !== undefined && step !== undefined && step !== 'fence';
}

/** State as a replica shows it in its heartbeat. */
export interface ShownState {
  readonly state: SystemState;
  /** Pause that the replica obeys. */
  readonly pause?: string;
  /** Id of the restore that the replica recovers from. */
  readonly restore?: string;
  /** Number of writing calls and work in flight. */
  readonly writing: number;
}

/**
 * Time that a pause lasts after the last sign of its command. A reader notices a beat up to a few
 * seconds late: writes go on within 30 s.
 */
export const pauseLeaseMs = 25_000;

/** A document as one reader sees it. */
export interface SeenDocument {
  readonly document: SystemDocument | undefined;
  /** Monotonic time at which the reader first read the beat of the pause. */
  readonly sinceMs: number;
}

/** Records a read of the document. */
export function seen(
  last: SeenDocument | undefined,
  document: SystemDocument | undefined,
  nowMs: number,
): SeenDocument {
  const [known, pause] = [last?.document?.pause, document?.pause];
  const isSame = known?.id === pause?.id && known?.beat === pause?.beat;
  return { document, sinceMs: last !== undefined && isSame ? last.sinceMs : nowMs };
}

/** State by what a reader has seen, its monotonic clock and its wall clock. */
export function stateOf(
  { document, sinceMs }: SeenDocument,
  { nowMs, now }: { nowMs: number; now: Date },
): SystemState {
  const { state = 'OPEN', pause } = document ?? {};
  if (state === 'RECOVERING' || state === 'MOVED') return state;
  if (state !== 'PAUSED' || pause === undefined) return 'OPEN';
  // The wall clock ends a pause that the reader has seen only after its command died.
  const isHeld =
    nowMs - sinceMs < pauseLeaseMs && now.getTime() - pause.at.getTime() < pauseLeaseMs;
  return isHeld ? 'PAUSED' : 'OPEN';
}

/** Kind of a call, for the state of the system. */
export interface CallKind {
  readonly writes: boolean;
  /** True for calls of the operators' sign-in and System page. */
  readonly whileRecovering: boolean;
  /** True if another service calls: the steps of a recovery need its calls. */
  readonly fromService: boolean;
}

/** Error of a call that the state of the system refuses. */
export function refusalOf(
  state: SystemState,
  { writes, whileRecovering, fromService }: CallKind,
): DomainError | undefined {
  if (state === 'RECOVERING') {
    return whileRecovering || fromService ? undefined : unavailable('RECOVERING');
  }
  return writes && state !== 'OPEN' ? unavailable('WRITES_PAUSED') : undefined;
}

function unavailable(reason: string): DomainError {
  return new DomainError('unavailable', reason, 'Service unavailable');
}
