import { type Clock, systemClock } from '../clock';
import { derivedId, isTimed, newId, timedDerivedId } from '../ids';
import { DomainError } from '@billing/kernel/domain-error';

/**
 * Owner of the data that a call may touch. Every document, filter, index and event starts with the
 * environment.
 */
export interface Tenant {
  readonly organizationId: string;
  readonly environmentId: string;
  /** True in the organization's live environment, false in a sandbox. */
  readonly live: boolean;
  /** True if environment time stands still until it is advanced. */
  readonly manualClock: boolean;
}

/** Idempotency key of a call: all calls with the key get one answer. */
export interface Idempotency {
  readonly key: string;
  /** Hash of the whole request. Reuse of the key with another hash is refused. */
  readonly requestHash: string;
  /** Called when the answer is an idempotent replay. */
  readonly onReplayed?: () => void;
}

/** Seed that makes a retry without an idempotency key create the same resources. */
export interface RetrySeed {
  /** A UUID v7. */
  readonly seed: string;
  /** True if an earlier call with the seed may have run. */
  readonly isRetry: boolean;
}

/** Context of a call, given to every handler and passed on to the peers it calls. */
export interface CallContext {
  readonly tenant: Tenant;
  /** Environment time: the sandbox's where its clock is manual, otherwise real time. */
  readonly now: Date;
  /** Scopes of the caller. everyScope among them grants all; an empty list grants none. */
  readonly scopes: readonly string[];
  readonly requestId: string;
  /**
   * Idempotency key of the caller. Consumed by the called service, never passed on to its peers.
   */
  readonly idempotency?: Idempotency | undefined;
  /** Sent instead of `idempotency` by a caller without a key. Consumed by the called service. */
  readonly retrySeed?: RetrySeed | undefined;
  /** True if no earlier call has run with the resource seed, so nothing can exist yet. */
  readonly isFirstRun?: boolean | undefined;
  /** Seed for ids of new resources, if the call may be retried; see newResourceId. */
  readonly resourceSeed?: string | undefined;
  /** Real time after which the caller stops waiting. */
  readonly deadline: Date;
  /**
   * Milliseconds after the deadline during which the caller still accepts an answer. No work starts
   * in them, but what was stored in time is acknowledged. Never passed on to peers.
   */
  readonly graceMs?: number | undefined;
  /**
   * Gate that every write on behalf of a request must pass; absent in background work, where no
   * caller waits.
   */
  readonly storing?: StoringGate | undefined;
  /** Aborts when the caller disconnects or the deadline passes. */
  readonly signal: AbortSignal;
}

/** Stands for all scopes, so that a call that names no scope has none. */
export const everyScope = '*';

/**
 * Encodes the scopes of a key or an operator, where an empty list means all, as a call carries
 * them.
 */
export function callScopes(scopes: readonly string[]): readonly string[] {
  return scopes.length === 0 ? [everyScope] : scopes;
}

/** Real time by which an answer must be sent. */
export function answerBy({ deadline }: Pick<CallContext, 'deadline'>): Date {
  return new Date(deadline.getTime() - answerMarginMs);
}

/** Real time until which a call may wait: at most `ms` from `realNow`, and in time to answer. */
export function waitAtMost(
  ms: number,
  context: Pick<CallContext, 'deadline'>,
  realNow: Date,
): Date {
  return new Date(Math.min(realNow.getTime() + ms, answerBy(context).getTime()));
}

/**
 * Timeline on which an environment's due work runs: its own where the clock is manual, otherwise
 * the common one.
 */
export function timelineOf(tenant: Tenant): string {
  return tenant.manualClock ? tenant.environmentId : realTimeline;
}

/**
 * Key that calls must share to be batched: a call carries one tenant and, where the clock is
 * manual, one time.
 */
export function groupOfCall({ tenant, now }: Pick<CallContext, 'tenant' | 'now'>): string {
  return `${tenant.environmentId} ${tenant.manualClock ? now.toISOString() : ''}`;
}

/**
 * Context for a call on behalf of several callers of one group. A caller that leaves, or has a
 * short deadline, does not affect the others.
 */
export function contextOfGroup(contexts: readonly [CallContext, ...CallContext[]]): CallContext {
  const [first, ...others] = contexts;
  if (others.length === 0) return first;
  const { tenant, now, scopes, requestId } = first;
  const latest = Math.max(...contexts.map(({ deadline }) => deadline.getTime()));
  const { signal } = new AbortController();
  return { tenant, now, scopes, requestId, signal, deadline: new Date(latest) };
}

/** Timeline of all environments that follow real time. */
export const realTimeline = 'real';

/**
 * Id of a resource that a call creates: derived from the call's key, if any, so that a retry
 * creates the same resource; otherwise new.
 */
export function newResourceId(context: Pick<CallContext, 'resourceSeed'>, noun: string): string {
  const { resourceSeed: seed } = context;
  if (seed === undefined) return newId();
  return isTimed(seed) ? timedDerivedId(seed, noun) : derivedId(seed, noun);
}

/** True if an earlier call may have created the requested resource. */
export function mayHaveRun({
  resourceSeed,
  isFirstRun = false,
}: Pick<CallContext, 'resourceSeed' | 'isFirstRun'>): boolean {
  return resourceSeed !== undefined && !isFirstRun;
}

/**
 * Time reserved before a caller's deadline for the last write and for sending the answer. A busy
 * process may need most of it.
 */
export const answerMarginMs = 2_000;

/**
 * Lets a request write only while enough of its deadline is left for the write and the answer: a
 * request that is answered 5xx for lack of time has stored nothing. After its first write, a
 * request may write at any time, unless the gate is closed again.
 */
export class StoringGate {
  private hasStored = false;

  constructor(
    private readonly deadline: Date,
    private readonly clock: Clock,
  ) {}

  /** Called right before a write that counts as made: `check`, then `recordStored`. */
  pass(): void {
    this.check();
    this.recordStored();
  }

  /**
   * Called right before a write that may leave no resource, such as a count, a claim or one that
   * loses a race. Throws unavailable if the request has stored nothing yet and has too little time
   * left.
   */
  check(): void {
    if (this.hasStored) return;
    const msLeft = this.deadline.getTime() - this.clock.now().getTime();
    if (msLeft < answerMarginMs) {
      throw new DomainError('unavailable', 'TOO_LATE_TO_STORE', 'Service unavailable');
    }
  }

  /** The request has stored something: from now on it may write at any time. */
  recordStored(): void {
    this.hasStored = true;
  }

  /** Milliseconds for which the request may still wait for effects of its writes; 0 if none. */
  msToWait(): number {
    const msLeft = this.deadline.getTime() - this.clock.now().getTime();
    return Math.max(0, msLeft - answerMarginMs);
  }

  /**
   * Called after writes that leave no resource: what the request stores from now on needs enough
   * time again.
   */
  close(): void {
    this.hasStored = false;
  }
}

/** Tenant of calls without a tenant; it is not sent. */
export const noTenant: Tenant = {
  organizationId: '',
  environmentId: '',
  live: false,
  manualClock: false,
};

const ownCallTimeoutMs = 20_000;

/** Context of a call that a program makes on its own behalf, not for a caller of a service. */
export function ownCall(tenant: Tenant = noTenant): CallContext {
  const now = systemClock.now();
  return {
    tenant,
    now,
    scopes: [],
    requestId: newId(),
    deadline: new Date(now.getTime() + ownCallTimeoutMs),
    signal: AbortSignal.timeout(ownCallTimeoutMs),
  };
}

// The work may call a peer that itself collects a payment.
const workDeadlineMs = 30_000;
// Work that starts within this time shares a deadline: a timer and a signal per document would cost
// more than reading it.
const sharedForMs = 1_000;

interface Limit extends Pick<CallContext, 'deadline' | 'signal'> {
  readonly startedAt: Date;
}

const latest = new WeakMap<AbortSignal, Limit>();

/** Signal of work that a stop of the service does not interrupt. */
export const neverStopping: AbortSignal = new AbortController().signal;

/** Context of work on a tenant's document without a caller. */
export function workContext(
  tenant: Tenant,
  {
    at,
    clock,
    requestId,
    stopping,
  }: { at: Date; clock: Clock; requestId: string; stopping: AbortSignal },
): CallContext {
  const realNow = clock.now();
  const { deadline, signal } = limitOf(stopping, realNow);
  return {
    tenant,
    now: tenant.manualClock ? at : realNow,
    scopes: [],
    requestId,
    deadline,
    signal,
  };
}

function limitOf(stopping: AbortSignal, now: Date): Limit {
  const known = latest.get(stopping);
  if (known !== undefined && !known.signal.aborted) {
    const ageMs = now.getTime() - known.startedAt.getTime();
    if (ageMs >= 0 && ageMs < sharedForMs) return known;
  }
  const limit = {
    startedAt: now,
    deadline: new Date(now.getTime() + workDeadlineMs),
    signal: AbortSignal.any([AbortSignal.timeout(workDeadlineMs), stopping]),
  };
  latest.set(stopping, limit);
  return limit;
}
