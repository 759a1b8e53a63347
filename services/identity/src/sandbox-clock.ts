import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { environmentTimeProblems } from '@billing/kernel/input/sandbox';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';
import {
  type Environment,
  type Jump,
  type Landing,
  type Lease,
  type ManualClock,
} from './environment';

/** Another worker carries on; this one has nothing more to say. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the clock was lost');
  }
}

// More callers than a test suite has; each one waits for all before it.
const jumpsMax = 20;
// Bounds what a typing error in a year costs.
const yearsAheadMax = 5;
// A watcher looks several times a second; a jump takes at least two rounds of calls.
const landingsMax = 50;

/**
 * Asks for a jump to `to`; one to the same instant that has not arrived there is joined. Jumps run one after the other, so one to an
 * instant that an earlier jump passes ends as soon as that has landed. Where nobody holds the lease at real time `now`, the claim gets
 * it, in this same write: from now on either its owner or, when it dies, the sweep carries the jump out.
 */
export function requestJump(
  environment: Environment,
  { to, id, claim, now }: { to: Date; id: string; claim: Lease; now: Date },
): Transition<Environment> {
  const clock = manualClockOf(environment);
  refuseProblems({ to: environmentTimeProblems(to) });
  const lease = claimed(clock.lease, { claim, now });
  if (joinable(clock, to)) return set(environment, clock, { lease });
  if (to < clock.now) throw invalidInput({ to: ["Must not lie before the sandbox's time"] });
  if (to > latestTarget(clock.now)) {
    throw invalidInput({ to: [`Must be at most ${String(yearsAheadMax)} years ahead`] });
  }
  if (clock.jumps.length >= jumpsMax) {
    throw new DomainError('resource_exhausted', 'TOO_MANY_JUMPS', 'Too many requests');
  }
  // An advance is a use: it takes the notice of a deletion back.
  const used = { ...environment, advancedAt: now, deletesAt: undefined };
  return set(used, clock, { lease, jumps: [...clock.jumps, { id, to, processed: 0 }] });
}

/**
 * Stops the running advance after its present instant and drops those that wait for it. Their callers are answered as stopped. Without
 * an advance, and for a real clock, nothing changes.
 */
export function stopJumps(environment: Environment): Transition<Environment> {
  const { clock } = environment;
  if (clock.kind !== 'MANUAL' || clock.jumps.length === 0) return unchanged(environment);
  const [current, ...waiting] = clock.jumps;
  if (current === undefined || (current.stopped === true && waiting.length === 0)) {
    return unchanged(environment);
  }
  const dropped = waiting.map(({ id }): Landing => ({
    id,
    now: clock.now,
    processed: 0,
    stopped: true,
  }));
  return set(environment, clock, {
    jumps: [{ ...current, stopped: true }],
    landings: [...clock.landings, ...dropped].slice(-landingsMax),
  });
}

/** Whether the running advance was asked to stop. */
export function isStopping({ clock }: Environment): boolean {
  return clock.kind === 'MANUAL' && clock.jumps[0]?.stopped === true;
}

/** Takes up jumps whose worker has not renewed its lease by real time `now`; else changes nothing. */
export function takeOver(
  environment: Environment,
  { claim, now }: { claim: Lease; now: Date },
): Transition<Environment> {
  const clock = manualClockOf(environment);
  if (clock.jumps.length === 0) return unchanged(environment);
  return set(environment, clock, { lease: claimed(clock.lease, { claim, now }) });
}

/** Keeps the lease. */
export function renewLease(environment: Environment, renewed: Lease): Transition<Environment> {
  return set(environment, clockHeldBy(environment, renewed.owner), { lease: renewed });
}

/** Lets anybody take the lease from real time `now` on, without waiting for its end. */
export function releaseLease(
  environment: Environment,
  { owner, now }: { owner: string; now: Date },
): Transition<Environment> {
  const clock = clockHeldBy(environment, owner);
  return set(environment, clock, { lease: { owner, until: now } });
}

/**
 * Moves the sandbox's time to `at`, where something is due, and records what the running advance has done so far. The clock of an advance
 * that was asked to stop stays where it is.
 */
export function moveTo(
  environment: Environment,
  { at, processed, lease }: { at: Date; processed: number; lease: Lease },
): Transition<Environment> {
  const clock = clockHeldBy(environment, lease.owner);
  if (at < clock.now) throw new Error('A clock never goes back');
  const [current, ...waiting] = clock.jumps;
  if (current === undefined) throw new Error('A clock moves only in a jump');
  if (current.stopped === true) return set(environment, clock, { lease });
  return set(environment, clock, {
    now: at,
    lease,
    jumps: [{ ...current, processed }, ...waiting],
  });
}

/** Ends the jump under way; one that has ended already, by a write whose answer was lost, stays so. The lease ends with the last one. */
export function land(
  environment: Environment,
  { jumpId, processed, lease }: { jumpId: string; processed: number; lease: Lease },
): Transition<Environment> {
  const clock = clockHeldBy(environment, lease.owner);
  const [current, ...jumps] = clock.jumps;
  if (current?.id !== jumpId) return unchanged(environment);
  const stopped = current.stopped === true ? { stopped: true } : {};
  const landing: Landing = { id: current.id, now: clock.now, processed, ...stopped };
  return set(environment, clock, {
    jumps,
    landings: [...clock.landings, landing].slice(-landingsMax),
    lease: jumps.length === 0 ? undefined : lease,
  });
}

/** The clock of a sandbox that has one of its own; any other cannot be advanced. */
export function manualClockOf({ clock }: Environment): ManualClock {
  if (clock.kind === 'MANUAL') return clock;
  throw new DomainError(
    'failed_precondition',
    'CLOCK_NOT_MANUAL',
    'Only a sandbox with a manual clock can be advanced',
  );
}

/** The jump that whoever has just asked for `to` waits for. */
export function jumpTo(environment: Environment, to: Date): Jump {
  const jump = manualClockOf(environment).jumps.findLast(leadsTo(to));
  if (jump === undefined) throw new Error('The jump was not asked for');
  return jump;
}

/** How the jump ended; undefined while it has not. */
export function landingOf(environment: Environment, jumpId: string): Landing | undefined {
  const { now, jumps, landings } = manualClockOf(environment);
  if (jumps.some(({ id }) => id === jumpId)) return undefined;
  // Forgotten only when many jumps landed between two looks; its count is then lost, not its work.
  return landings.find(({ id }) => id === jumpId) ?? { id: jumpId, now, processed: 0 };
}

/** Whether the owner may move the clock, as far as the stored lease tells. */
export function isHeldBy({ clock }: Environment, owner: string): boolean {
  return clock.kind === 'MANUAL' && clock.lease?.owner === owner;
}

function clockHeldBy(environment: Environment, owner: string): ManualClock {
  if (!isHeldBy(environment, owner)) throw new LeaseLost();
  return manualClockOf(environment);
}

// A jump that has arrived may have looked for quiet before the caller's last write: that caller needs a look of its own.
function joinable({ now, jumps }: ManualClock, to: Date): boolean {
  const [current, ...waiting] = jumps;
  if (waiting.some(leadsTo(to))) return true;
  return current !== undefined && current.stopped !== true && leadsTo(to)(current) && now < to;
}

function latestTarget(now: Date): Date {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + yearsAheadMax);
  return latest;
}

function leadsTo(to: Date): (jump: Jump) => boolean {
  return (jump) => jump.to.getTime() === to.getTime();
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
