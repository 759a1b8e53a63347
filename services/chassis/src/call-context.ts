import { Metadata } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import { answerMarginMs } from './answer-margin';
import type { Clock } from './clock';
import { derivedId, isTimed, newId, timedDerivedId } from './ids';
import type { StoringGate } from './storing-gate';

/** Whose data a call touches. Every document, filter, index and event starts with the environment. */
export interface Tenant {
  readonly organizationId: string;
  readonly environmentId: string;
  /** True in the organisation's live environment, false in a sandbox. */
  readonly live: boolean;
  /** True where business time stands still until it is advanced. */
  readonly manualClock: boolean;
}

/** A key under which a call has one answer, however often it comes. */
export interface Idempotency {
  readonly key: string;
  /** Of the whole request; a key that comes back with another one is refused. */
  readonly requestHash: string;
  /** Tells the caller that the answer was a repeated one. */
  readonly onReplayed?: () => void;
}

/** By which a call without an idempotency key that comes again creates the same resources. */
export interface RetrySeed {
  /** UUID v7. */
  readonly seed: string;
  /** Whether an earlier call with the seed may have run. */
  readonly isRetry: boolean;
}

/** What every handler is told about the call it serves, and passes on to the peers it calls. */
export interface CallContext {
  readonly tenant: Tenant;
  /** Business time: the sandbox's where its clock is manual, else real time. */
  readonly now: Date;
  /** What the caller may do; everyScope among them means all, none means nothing. */
  readonly scopes: readonly string[];
  readonly requestId: string;
  /** The caller may repeat the call under this key; consumed by the service that is called, never passed on to its peers. */
  readonly idempotency?: Idempotency | undefined;
  /** Sent in the place of `idempotency` by a caller without a key; consumed by the service that is called. */
  readonly retrySeed?: RetrySeed | undefined;
  /** True where no earlier call has run with the resource seed: nothing is there to be found. */
  readonly isFirstRun?: boolean | undefined;
  /** What the id of a new resource is derived from, where the call may be repeated; see newResourceId. */
  readonly resourceSeed?: string | undefined;
  /** Real time after which nobody waits for the answer. */
  readonly deadline: Date;
  /**
   * Milliseconds that the caller waits for the answer after the deadline: nothing is begun in them, but what was stored in time is still
   * acknowledged. Never passed on to peers.
   */
  readonly graceMs?: number | undefined;
  /** Passed by every write on behalf of a request; absent where no caller waits, as in background work. */
  readonly storing?: StoringGate | undefined;
  /** Aborts when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal;
}

/** Stands for all scopes, so that a call that names no scope has none. */
export const everyScope = '*';

/** The scopes of a key or of an operator, where an empty list means all, as a call carries them. */
export function callScopes(scopes: readonly string[]): readonly string[] {
  return scopes.length === 0 ? [everyScope] : scopes;
}

/** Real time by which an answer must be on its way. */
export function answerBy({ deadline }: Pick<CallContext, 'deadline'>): Date {
  return new Date(deadline.getTime() - answerMarginMs);
}

/** Due work of an environment runs on this timeline: its own where the clock is manual, else the common one. */
export function timelineOf(tenant: Tenant): string {
  return tenant.manualClock ? tenant.environmentId : realTimeline;
}

/** What calls must share to go as one: a call carries one tenant, and where the clock is manual one time. */
export function groupOfCall({ tenant, now }: Pick<CallContext, 'tenant' | 'now'>): string {
  return `${tenant.environmentId} ${tenant.manualClock ? now.toISOString() : ''}`;
}

/** What a call goes with that is made for several callers of one group: who goes away, or has little time, takes nobody else's answer along. */
export function contextOfGroup(contexts: readonly [CallContext, ...CallContext[]]): CallContext {
  const [first, ...others] = contexts;
  if (others.length === 0) return first;
  const { tenant, now, scopes, requestId } = first;
  const latest = Math.max(...contexts.map(({ deadline }) => deadline.getTime()));
  const { signal } = new AbortController();
  return { tenant, now, scopes, requestId, signal, deadline: new Date(latest) };
}

/** The timeline of everything that follows real time. */
export const realTimeline = 'real';

/** The id of a resource that a call makes: derived from the call's key where it has one, so that a repeat makes the same; else new. */
export function newResourceId(context: Pick<CallContext, 'resourceSeed'>, noun: string): string {
  const { resourceSeed: seed } = context;
  if (seed === undefined) return newId();
  return isTimed(seed) ? timedDerivedId(seed, noun) : derivedId(seed, noun);
}

/** Whether an earlier call may have created what this one is asked for. */
export function mayHaveRun({
  resourceSeed,
  isFirstRun = false,
}: Pick<CallContext, 'resourceSeed' | 'isFirstRun'>): boolean {
  return resourceSeed !== undefined && !isFirstRun;
}

/** The gRPC metadata that carries a context to a peer. */
export function toMetadata(context: CallContext, traceparent: string | undefined): Metadata {
  const metadata = tenantMetadata(context.tenant, context.now);
  if (context.scopes.length > 0) metadata.set('scopes', context.scopes.join(','));
  return callMetadata(context, traceparent, metadata);
}

/** The gRPC metadata of a call that carries no tenant. */
export function callMetadata(
  context: Pick<CallContext, 'requestId' | 'idempotency' | 'graceMs' | 'retrySeed'>,
  traceparent: string | undefined,
  metadata = new Metadata(),
): Metadata {
  metadata.set('request-id', context.requestId);
  if (context.graceMs !== undefined) metadata.set('grace-ms', String(context.graceMs));
  if (context.idempotency !== undefined) {
    // Base64, because a key may hold characters that metadata may not.
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

/** Reads what toMetadata wrote. */
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
