import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { environmentTimeProblems } from '@billing/kernel/input/sandbox';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';
import {
  type Environment,
  type ClockAdvance,
  type ClockAdvanceResult,
  type Lease,
  type ManualClock,
  type WaitingCall,
} from './environment';

/** Another worker continues; this one must not write any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the clock was lost');
  }
}

/** Calls that may wait for one clock, over all replicas: a test suite has no more. */
export const waitingCallsMax = 5;
// More callers than a test suite has; each one waits for all before it.
const storedAdvancesMax = 20;
// Bounds the cost of a typing error in a year.
const yearsAheadMax = 5;
// A caller checks several times a second; an advance takes at least two rounds of calls.
const advanceResultsMax = 50;

/** A request to advance to `to`, at real time `now`. */
interface AdvanceRequest {
  readonly to: Date;
  /** Id of the advance, if it is a new one. */
  readonly id: string;
  readonly claim: Lease;
  readonly now: Date;
  /** The call, which waits for the advance. */
  readonly call: Omit<WaitingCall, 'advanceId'>;
  /** True for a replica without a living heartbeat: it is gone, or has just started. */
  readonly isGone: (replica: string) => boolean;
}

// A replica that has just started is unknown to the others until their next heartbeats, which come
// every two seconds.
const knownAfterMs = 10_000;

/**
 * Requests an advance to `to`, or joins one to the same instant that has not arrived there.
 * Advances run one after the other, so one to an instant that an earlier advance passes ends as
 * soon as that one has ended. If the lease is free at real time `now`, the claim gets it in this
 * same write: from now on either its owner or, when it dies, the sweep carries the advance out. The
 * same write also lets the call wait, or refuses it if too many wait already.
 */
export function requestAdvance(
  environment: Environment,
  { to, id, claim, ...request }: AdvanceRequest,
): Transition<Environment> {
  const { now } = request;
  const clock = manualClockOf(environment);
  refuseProblems({ to: environmentTimeProblems(to) });
  const lease = claimed(clock.lease, { claim, now });
  if (joinable(clock, to)) {
    const waiting = withCall(clock, findAdvance(environment, to).id, request);
    return set(environment, clock, { lease, waiting });
  }
  if (to < clock.now) throw invalidInput({ to: ["Must not lie before the sandbox's time"] });
  if (to > latestTarget(clock.now)) {
    throw invalidInput({ to: [`Must be at most ${String(yearsAheadMax)} years ahead`] });
  }
  if (clock.advances.length >= storedAdvancesMax) {
    throw new DomainError('resource_exhausted', 'TOO_MANY_JUMPS', 'Too many requests');
  }
  // An advance is a use: it withdraws the notice of a deletion.
  const used = { ...environment, advancedAt: now, deletesAt: undefined };
  return set(used, clock, {
    lease,
    advances: [...clock.advances, { id, to, processed: 0 }],
    waiting: withCall(clock, id, request),
  });
}

/** Ends the wait of a call that has got no result. */
export function stopWaiting(environment: Environment, callId: string): Transition<Environment> {
  const { clock } = environment;
  if (clock.kind !== 'MANUAL') return unchanged(environment);
  const waiting = clock.waiting.filter(({ id }) => id !== callId);
  if (waiting.length === clock.waiting.length) return unchanged(environment);
  return set(environment, clock, { waiting });
}

/**
 * Stops the running advance after its present instant and drops those behind it. Their callers get
 * the answer `stopped`. Without an advance, and for a real clock, nothing changes.
 */
export function stopAdvances(environment: Environment): Transition<Environment> {
  const { clock } = environment;
  if (clock.kind !== 'MANUAL' || clock.advances.length === 0) return unchanged(environment);
  const [current, ...waiting] = clock.advances;
  if (current === undefined || (current.stopped === true && waiting.length === 0)) {
    return unchanged(environment);
  }
  const dropped = waiting.map(({ id }): ClockAdvanceResult => ({
    id,
    now: clock.now,
    processed: 0,
    stopped: true,
  }));
  return set(environment, clock, {
    advances: [{ ...current, stopped: true }],
    landings: [...clock.landings, ...dropped].slice(-advanceResultsMax),
  });
}

/** True when the running advance was stopped by a caller. */
export function isStopping({ clock }: Environment): boolean {
  return clock.kind === 'MANUAL' && clock.advances[0]?.stopped === true;
}

/**
 * Claims the advances of a worker that has not renewed its lease by real time `now`; changes
 * nothing otherwise.
 */
export function takeOver(
  environment: Environment,
  { claim, now }: { claim: Lease; now: Date },
): Transition<Environment> {
  const clock = manualClockOf(environment);
  if (clock.advances.length === 0) return unchanged(environment);
  // Waiting calls still count: those of living replicas wait on, and the next request drops others.
  return set(environment, clock, { lease: claimed(clock.lease, { claim, now }) });
}

/** Renews the lease. */
export function renewLease(environment: Environment, renewed: Lease): Transition<Environment> {
  return set(environment, clockHeldBy(environment, renewed.owner), { lease: renewed });
}

/** Releases the lease from real time `now` on, without waiting for its end. */
export function releaseLease(
  environment: Environment,
  { owner, now }: { owner: string; now: Date },
): Transition<Environment> {
  const clock = clockHeldBy(environment, owner);
  return set(environment, clock, { lease: { owner, until: now } });
}

/**
 * Moves the sandbox's time to the due instant `at`, and records the progress of the running
 * advance. The clock of a stopped advance stays.
 */
export function moveTo(
  environment: Environment,
  { at, processed, lease }: { at: Date; processed: number; lease: Lease },
): Transition<Environment> {
  const clock = clockHeldBy(environment, lease.owner);
  if (at < clock.now) throw new Error('A clock never goes back');
  const [current, ...waiting] = clock.advances;
  if (current === undefined) throw new Error('A clock moves only in a advance');
  if (current.stopped === true) return set(environment, clock, { lease });
  return set(environment, clock, {
    now: at,
    lease,
    advances: [{ ...current, processed }, ...waiting],
  });
}

/**
 * Ends the running advance; one that has ended already, by a write whose answer was lost, stays so.
 * The lease ends with the last advance.
 */
export function finishAdvance(
  environment: Environment,
  { advanceId, processed, lease }: { advanceId: string; processed: number; lease: Lease },
): Transition<Environment> {
  const clock = clockHeldBy(environment, lease.owner);
  const [current, ...advances] = clock.advances;
  if (current?.id !== advanceId) return unchanged(environment);
  const stopped = current.stopped === true ? { stopped: true } : {};
  const result: ClockAdvanceResult = { id: current.id, now: clock.now, processed, ...stopped };
  return set(environment, clock, {
    advances,
    landings: [...clock.landings, result].slice(-advanceResultsMax),
    lease: advances.length === 0 ? undefined : lease,
  });
}

/** The manual clock of a sandbox; any other cannot be advanced. */
export function manualClockOf({ clock }: Environment): ManualClock {
  if (clock.kind === 'MANUAL') return clock;
  throw new DomainError(
    'failed_precondition',
    'CLOCK_NOT_MANUAL',
    'Only a sandbox with a manual clock can be advanced',
  );
}

/** Finds the advance that a caller who requested `to` waits for. */
export function findAdvance(environment: Environment, to: Date): ClockAdvance {
  const advance = manualClockOf(environment).advances.findLast(leadsTo(to));
  if (advance === undefined) throw new Error('The advance was not asked for');
  return advance;
}

/** The result of an advance; undefined while it is stored. */
export function advanceResultOf(
  environment: Environment,
  advanceId: string,
): ClockAdvanceResult | undefined {
  const { now, advances, landings } = manualClockOf(environment);
  if (advances.some(({ id }) => id === advanceId)) return undefined;
  // Dropped only when many advances ended between two checks; the count is lost then, not the work.
  return landings.find(({ id }) => id === advanceId) ?? { id: advanceId, now, processed: 0 };
}

/** True when the owner may move the clock, according to the stored lease. */
export function isHeldBy({ clock }: Environment, owner: string): boolean {
  return clock.kind === 'MANUAL' && clock.lease?.owner === owner;
}

function clockHeldBy(environment: Environment, owner: string): ManualClock {
  if (!isHeldBy(environment, owner)) throw new LeaseLost();
  return manualClockOf(environment);
}

// An advance that has arrived may have checked for quiet before the caller's last write: that
// caller needs a check of its own.
function joinable({ now, advances }: ManualClock, to: Date): boolean {
  const [current, ...waiting] = advances;
  if (waiting.some(leadsTo(to))) return true;
  return current !== undefined && current.stopped !== true && leadsTo(to)(current) && now < to;
}

/** Adds a call to those that wait; throws resource_exhausted if there are too many. */
function withCall(
  clock: ManualClock,
  advanceId: string,
  { call, ...request }: Pick<AdvanceRequest, 'call' | 'now' | 'isGone'>,
): readonly WaitingCall[] {
  const others = waitingFor(clock, request).filter(({ id }) => id !== call.id);
  if (others.length >= waitingCallsMax) {
    throw new DomainError('resource_exhausted', 'TOO_MANY_WAITING', 'Too many requests');
  }
  return [...others, { ...call, advanceId }];
}

// The callers of an ended advance have their result, and those of a replica that is gone have lost
// their connections.
function waitingFor(
  { advances, waiting }: ManualClock,
  { now, isGone }: Pick<AdvanceRequest, 'now' | 'isGone'>,
): readonly WaitingCall[] {
  const stored = new Set(advances.map(({ id }) => id));
  const isLost = ({ replica, since }: WaitingCall) => {
    if (replica === undefined || since === undefined) return false;
    return now.getTime() - since.getTime() >= knownAfterMs && isGone(replica);
  };
  return waiting.filter((call) => now < call.until && stored.has(call.advanceId) && !isLost(call));
}

function latestTarget(now: Date): Date {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsAheadMax);
  return latest;
}

function leadsTo(to: Date): (advance: ClockAdvance) => boolean {
  return (advance) => advance.to.getTime() === to.getTime();
}

function claimed(lease: Lease | undefined, { claim, now }: { claim: Lease; now: Date }): Lease {
  return lease !== undefined && now < lease.until ? lease : claim;
}

function set(
  environment: Environment,
  clock: ManualClock,
  change: Partial<ManualClock>,
): Transition<Environment> {
  if (change.lease === clock.lease && Object.keys(change).length === 1)
    return unchanged(environment);
  return { state: { ...environment, clock: { ...clock, ...change } }, events: [], commands: [] };
}
