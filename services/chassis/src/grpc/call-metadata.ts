import { Metadata } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import type { CallContext, Idempotency, Tenant } from './call-context';
import type { Clock } from '../clock';

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

const fromServiceKey = 'from-service';

/** Marks a call of a service, in contrast to those that a request from outside causes. */
export function markFromService(metadata: Metadata): void {
  metadata.set(fromServiceKey, 'true');
}

export function isFromService(metadata: Metadata): boolean {
  return metadata.get(fromServiceKey)[0] === 'true';
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
