import {
  Metadata,
  type handleUnaryCall,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import { type CallContext, fromMetadata } from './call-context';
import type { Clock } from './clock';
import { DeadlineExceededError, isBug, toServerStatus } from './grpc-status';
import { type Logger, withRequestId } from './logging';
import { inSpan } from './tracing';

/** A generated service's methods as async functions of request and context. */
export type AsyncHandlers<S> = {
  [K in keyof S as string extends K ? never : K]: S[K] extends handleUnaryCall<infer Q, infer A>
    ? (request: Q, context: CallContext) => Promise<A>
    : never;
};

/** A gRPC service and what answers its calls. */
export interface RpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** What every handler is wrapped with. */
export interface RpcSurroundings {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

type AnyHandler = (request: unknown, context: CallContext) => Promise<unknown>;

/**
 * Binds async handlers to a generated service definition. Around each call: a span that continues the caller's trace, the context
 * from the metadata, cancellation and deadline as one AbortSignal, and the mapping of errors; no rejection ever reaches grpc-js.
 * Calls without a deadline are refused. Methods in `withoutTenant` may be called without one; for all others it is required.
 */
export function rpcService<S extends UntypedServiceImplementation>(
  definition: ServiceDefinition,
  handlers: AsyncHandlers<S>,
  { withoutTenant = [] }: { withoutTenant?: readonly (keyof AsyncHandlers<S>)[] } = {},
): (surroundings: RpcSurroundings) => RpcService {
  return (surroundings) => {
    const implementation: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(definition)) {
      const handler = (handlers as Record<string, AnyHandler>)[name];
      if (handler === undefined) throw new Error(`${method.path} has no handler`);
      const needsTenant = !withoutTenant.includes(name as keyof AsyncHandlers<S>);
      implementation[name] = unary(method.path, handler, { ...surroundings, needsTenant });
    }
    return { definition, implementation };
  };
}

function unary(
  path: string,
  handler: AnyHandler,
  { needsTenant, ...surroundings }: RpcSurroundings & { needsTenant: boolean },
): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const traceparent = call.metadata.get('traceparent')[0]?.toString();
    inSpan(
      { name: `grpc ${path}`, kind: 'server', service: surroundings.service, traceparent },
      async () => {
        const context = readContext(call, needsTenant, surroundings.clock);
        return withRequestId(context.requestId, () => handler(call.request, context));
      },
    ).then(
      (response) => {
        callback(null, response);
      },
      (error: unknown) => {
        refuse(path, error, callback, surroundings.logger);
      },
    );
  };
}

function refuse(
  path: string,
  error: unknown,
  callback: sendUnaryData<unknown>,
  logger: Logger,
): void {
  if (isBug(error)) logger.error({ err: error, rpc: path }, 'call failed');
  callback({ metadata: new Metadata(), ...toServerStatus(error) });
}

function readContext(
  call: ServerUnaryCall<unknown, unknown>,
  needsTenant: boolean,
  clock: Clock,
): CallContext {
  const deadline = new Date(call.getDeadline());
  if (Number.isNaN(deadline.getTime())) {
    throw new DomainError('invalid_input', 'DEADLINE_REQUIRED', 'A call must have a deadline');
  }
  const { tenant, ...rest } = fromMetadata(call.metadata, clock);
  if (tenant === undefined && needsTenant) {
    throw new DomainError('invalid_input', 'TENANT_REQUIRED', 'A call must name its environment');
  }
  const context = { ...rest, deadline, signal: abortWithCall(call) };
  return {
    ...context,
    get tenant() {
      if (tenant === undefined) throw new Error('This call carries no tenant');
      return tenant;
    },
  };
}

// grpc-js cancels the call by itself when its deadline passes.
function abortWithCall(call: ServerUnaryCall<unknown, unknown>): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new DeadlineExceededError());
  };
  if (call.cancelled) abort();
  else call.once('cancelled', abort);
  return controller.signal;
}
