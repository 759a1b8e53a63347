import { Metadata } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import { answerMarginMs } from './answer-margin';
import type { Clock } from '../clock';
import { derivedId, isTimed, newId, timedDerivedId } from '../ids';
import type { StoringGate } from './storing-gate';

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

/** Encodes a context as gRPC metadata for a peer. */
export function toMetadata(context: CallContext, traceparent: string | undefined): Metadata {
  const metadata = tenantMetadata(context.tenant, context.now);
  if (context.scopes.length > 0) metadata.set('scopes', context.scopes.join(','));
  return callMetadata(context, traceparent, metadata);
}

/** Builds the gRPC metadata of a call without a tenant. */
export function callMetadata(
  context: Pick<CallContext, 'requestId' | 'idempotency' | 'graceMs' | 'retrySeed'>,
  traceparent: string | undefined,
  metadata = new Metadata(),
): Metadata {
  metadata.set('request-id', context.requestId);
  if (context.graceMs !== undefined) metadata.set('grace-ms', String(context.graceMs));
  if (context.idempotency !== undefined) {
    // Base64, because a key may contain characters that metadata does not allow.
    metadata.set('idempotency-key', Buffer.from(context.idempotency.key).toString('base64'));
    metadata.set('request-hash', context.idempotency.requestHash);
  }
  if (context.retrySeed !== undefined) {
    metadata.set('retry-seed', context.retrySeed.seed);
    if (context.retrySeed.isRetry) metadata.set('is-retry', 'true');
  }
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return metadata;
}

function tenantMetadata(tenant: Tenant, now: Date): Metadata {
  const metadata = new Metadata();
  metadata.set('organization-id', tenant.organizationId);
  metadata.set('environment-id', tenant.environmentId);
  metadata.set('environment-live', String(tenant.live));
  if (tenant.manualClock) metadata.set('environment-time', now.toISOString());
  return metadata;
}

/** Decodes the metadata that toMetadata wrote. */
export function fromMetadata(
  metadata: Metadata,
  clock: Clock,
): Pick<
  CallContext,
  'now' | 'scopes' | 'requestId' | 'idempotency' | 'resourceSeed' | 'isFirstRun'
> & {
  tenant: Tenant | undefined;
} {
  const text = (key: string): string | undefined => {
    const value = metadata.get(key)[0];
    return value === undefined ? undefined : value.toString();
  };
  const environmentTime = text('environment-time');
  const scopes = text('scopes');
  return {
    tenant: tenantFrom(text, environmentTime !== undefined),
    now: environmentTime === undefined ? clock.now() : readEnvironmentTime(environmentTime),
    scopes: scopes === undefined ? [] : scopes.split(','),
    requestId: text('request-id') ?? '',
    idempotency: idempotencyFrom(text),
    resourceSeed: text('retry-seed'),
    isFirstRun: text('is-retry') === undefined,
  };
}

function idempotencyFrom(text: (key: string) => string | undefined): Idempotency | undefined {
  const key = text('idempotency-key');
  const requestHash = text('request-hash');
  if (key === undefined || requestHash === undefined) return undefined;
  return { key: Buffer.from(key, 'base64').toString(), requestHash };
}

function tenantFrom(
  text: (key: string) => string | undefined,
  manualClock: boolean,
): Tenant | undefined {
  const environmentId = text('environment-id');
  const organizationId = text('organization-id');
  if (environmentId === undefined || organizationId === undefined) return undefined;
  return { environmentId, organizationId, live: text('environment-live') === 'true', manualClock };
}

function readEnvironmentTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new DomainError(
      'invalid_input',
      'INVALID_ENVIRONMENT_TIME',
      'Malformed environment-time',
    );
  }
  return time;
}
