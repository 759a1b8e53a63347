import type { Metadata } from '@grpc/grpc-js';
import { receivedCodeOf, sentCodeOf } from './grpc-status';
import { aggregateAttributes, type SpanAttributes } from '../telemetry/tracing';

// Names of span attributes, in one place: people and dashboards search by them.

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
