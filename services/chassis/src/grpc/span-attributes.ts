import type { Metadata } from '@grpc/grpc-js';
import { receivedCodeOf, sentCodeOf } from './grpc-status';
import type { SpanAttributes } from '../telemetry/tracing';

// Names of span attributes, in one place: people and dashboards search by them.

/** Fields of a stored document that appear in spans. */
export interface NamedDocument {
  readonly _id: string;
  readonly environmentId?: unknown;
  readonly live?: unknown;
  readonly customerId?: unknown;
  /** For documents that contain a copy of their customer. */
  readonly customer?: unknown;
  readonly subscriptionId?: unknown;
}

/** Attributes of a call of `/<package>.<Service>/<Method>`, on either side of it. */
export function rpcAttributes(path: string): SpanAttributes {
  const [, service, method] = path.split('/');
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method };
}

/** Attributes that name the request and the environment of a call. */
export function callerAttributes(metadata: Metadata): SpanAttributes {
  const text = (key: string) => metadata.get(key)[0]?.toString();
  const live = text('environment-live');
  return {
    'billing.request_id': text('request-id'),
    'billing.environment_id': text('environment-id'),
    'billing.live': live === undefined ? undefined : live === 'true',
  };
}

/** The gRPC status of a call that a server has answered; `error` is undefined on success. */
export function serverOutcome(error: unknown): SpanAttributes {
  return { 'rpc.grpc.status_code': sentCodeOf(error) };
}

/** The gRPC status of a call that a client has made; `error` is undefined on success. */
export function clientOutcome(error: unknown): SpanAttributes {
  return { 'rpc.grpc.status_code': receivedCodeOf(error) };
}

/** Attributes of work on one aggregate. */
export function aggregateAttributes(
  aggregate: string,
  document: NamedDocument,
  sequence: number,
): SpanAttributes {
  const { _id: id, environmentId, live, customerId, customer, subscriptionId } = document;
  const ofCustomer = aggregate === 'customer' ? id : (customerId ?? idOf(customer));
  return {
    'billing.aggregate': aggregate,
    'billing.aggregate_id': id,
    'billing.sequence': sequence,
    'billing.environment_id': textOf(environmentId),
    'billing.live': typeof live === 'boolean' ? live : undefined,
    'billing.customer_id': textOf(ofCustomer),
    'billing.subscription_id': aggregate === 'subscription' ? id : textOf(subscriptionId),
  };
}

/** Attributes of an event; those missing in its envelope are left out. */
export function eventAttributes(event: {
  /** `<service>.<aggregate>.<fact>`. */
  readonly subject: string;
  /** The CloudEvents envelope as JSON text. */
  readonly data: string;
}): SpanAttributes {
  const aggregate = event.subject.split('.')[1] ?? '';
  const envelope = readEnvelope(event.data);
  const { subject: id, sequence, environmentid, environmentlive, data } = envelope ?? {};
  if (typeof id !== 'string' || typeof sequence !== 'number') {
    return { 'billing.aggregate': aggregate };
  }
  const resources = Object.values(typeof data === 'object' && data !== null ? data : {});
  const customerId: unknown = resources.find(hasCustomer)?.customerId;
  const named = { _id: id, environmentId: environmentid, live: environmentlive };
  return aggregateAttributes(aggregate, { ...named, customerId }, sequence);
}

function readEnvelope(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

function hasCustomer(resource: unknown): resource is { readonly customerId: unknown } {
  return typeof resource === 'object' && resource !== null && 'customerId' in resource;
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
