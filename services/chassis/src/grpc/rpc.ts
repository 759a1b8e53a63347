import {
  Metadata,
  type handleUnaryCall,
  type MethodDefinition,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import { readingCalls } from '@billing/proto/reading-calls';
import { type CallContext, StoringGate } from './call-context';
import { fromMetadata, isFromService } from './call-metadata';
import { type Callers, refuseUnnamedCaller } from './callers';
import { type Clock, monotonicMs } from '../clock';
import { atBoundary } from '../failpoint';
import { type IdempotencyRecords, runOncePerKey } from './idempotency';
import { replayedMetadata } from './replay';
import { DeadlineExceededError, isBug, toServerStatus } from './grpc-status';
import type { InFlightLimit } from '../concurrency/semaphore';
import { type Logger, withRequestId } from '../telemetry/logging';
import type { Metrics } from '../telemetry/metrics';
import { callerAttributes, rpcAttributes, serverOutcome } from './span-attributes';
import { storageFull } from '../mongo/storage-guard';
import type { CallKind } from '../replicas/system-state';
import type { SystemWatch } from '../replicas/system-watch';
import { inSpan } from '../telemetry/tracing';

/** A generated service's methods as async functions of request and context. */
export type AsyncHandlers<S> = {
  [K in keyof S as string extends K ? never : K]: S[K] extends handleUnaryCall<infer Q, infer A>
    ? (request: Q, context: CallContext) => Promise<A>
    : never;
};

/** A gRPC service and the handlers of its calls. */
export interface RpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** Dependencies of the code around every handler. */
export interface RpcDependencies {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Store of answers to calls with an idempotency key. */
  readonly idempotencyRecords?: IdempotencyRecords;
  /** Shared by all services of one server. */
  readonly inFlightLimit?: InFlightLimit;
  readonly metrics?: Metrics;
  /** True if nothing can be written: calls that write are refused. */
  readonly isStorageFull?: () => boolean;
  /** State of the system: calls that it does not allow are refused. */
  readonly system?: Pick<SystemWatch, 'call'>;
  /** True if an environment was deleted: its calls are refused. */
  readonly isDeleted?: (environmentId: string) => boolean;
  /**
   * True if callers identify themselves by certificates: then each method accepts only the callers
   * that it names.
   */
  readonly checksCallers?: boolean;
}

/** Exceptions of single methods of a service. */
export interface RpcOptions<S> {
  /** Methods that may be called without a tenant. */
  readonly withoutTenant?: readonly (keyof AsyncHandlers<S>)[];
  /** Response fields that are revealed once; a replay has them empty. */
  readonly secrets?: readonly string[];
  /**
   * Methods that are exempt from the in-flight limit, because other calls wait for them; 'all' for
   * every method.
   */
  readonly unlimited?: readonly (keyof AsyncHandlers<S>)[] | 'all';
  /**
   * Methods whose retry joins the running call: a retry under the same idempotency key runs
   * immediately, without waiting for the first answer.
   */
  readonly joinable?: readonly (keyof AsyncHandlers<S>)[];
  /** Methods that may run while the disk is full although they write, because they free space. */
  readonly freesStorage?: readonly (keyof AsyncHandlers<S>)[];
  /** Methods of the operators' sign-in and System page, which run while a restore is checked. */
  readonly whileRecovering?: readonly (keyof AsyncHandlers<S>)[];
  /** Allowed callers of each method, where callers are checked. Absent: no service may call. */
  readonly callers?: Callers<S>;
}

type AnyMethod = MethodDefinition<unknown, unknown>;
type AnyHandler = (request: unknown, context: CallContext) => Promise<unknown>;

/**
 * Binds async handlers to a generated service definition. Around each call it adds:
 * - a span that continues the caller's trace,
 * - the context from the metadata,
 * - cancellation and deadline as one AbortSignal,
 * - the mapping of errors; no rejection reaches grpc-js.
 *
 * Calls without a deadline and calls over the server's limit are refused. A call with an
 * idempotency key runs once.
 */
export function rpcService<S extends UntypedServiceImplementation>(
  definition: ServiceDefinition,
  handlers: AsyncHandlers<S>,
  {
    withoutTenant = [],
    secrets = [],
    unlimited = [],
    joinable = [],
    freesStorage = [],
    whileRecovering = [],
    callers,
  }: RpcOptions<S> = {},
): (dependencies: RpcDependencies) => RpcService {
  return (dependencies) => {
    const implementation: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(definition)) {
      const handler = (handlers as Record<string, AnyHandler>)[name];
      if (handler === undefined) throw new Error(`${method.path} has no handler`);
      const key = name as keyof AsyncHandlers<S>;
      const needsTenant = !withoutTenant.includes(key);
      const isUnlimited = unlimited === 'all' || unlimited.includes(key);
      const writes = !readingCalls.has(method.path);
      const needsStorage = writes && !freesStorage.includes(key);
      implementation[name] = unary(method, handler, {
        ...dependencies,
        isStorageFull: needsStorage ? dependencies.isStorageFull : undefined,
        inFlightLimit: isUnlimited ? undefined : dependencies.inFlightLimit,
        needsTenant,
        kind: { writes, whileRecovering: whileRecovering.includes(key) },
        secrets,
        isJoinable: joinable.includes(key),
        callers: callers?.[key] ?? [],
      });
    }
    return { definition: withSerializedAnswers(definition), implementation };
  };
}

/**
 * Answers are serialized by `unary`, so that a failure to do so counts as a failure of the call.
 */
function withSerializedAnswers(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => [
    name,
    { ...method, responseSerialize: (bytes: Buffer) => bytes },
  ]);
  return Object.fromEntries(methods) as ServiceDefinition;
}

function unary(
  method: AnyMethod,
  handler: AnyHandler,
  dependencies: RpcDependencies & {
    needsTenant: boolean;
    kind: Omit<CallKind, 'fromService'>;
    secrets: readonly string[];
    isJoinable: boolean;
    callers: readonly string[];
  },
): handleUnaryCall<unknown, unknown> {
  const { path } = method;
  const { service, clock, logger, needsTenant, inFlightLimit, metrics, callers } = dependencies;
  const { system, kind } = dependencies;
  const ofMethod = rpcAttributes(path);
  return (call, callback) => {
    const startedMs = monotonicMs();
    const traceparent = call.metadata.get('traceparent')[0]?.toString();
    const run = async () => {
      if (dependencies.checksCallers === true) refuseUnnamedCaller(call, { path, callers, logger });
      if (dependencies.isStorageFull?.() === true) throw storageFull();
      const context = readContext(call, needsTenant, clock);
      if (needsTenant) refuseDeleted(context, dependencies);
      const respond = () =>
        withRequestId(context.requestId, () =>
          atBoundary('answer', path, () =>
            answer(method, handler, { call, context, ...dependencies }),
          ),
        );
      const ofCall = { ...kind, fromService: isFromService(call.metadata) };
      const response = await (system === undefined ? respond() : system.call(ofCall, respond));
      return method.responseSerialize(response);
    };
    const span = {
      name: `grpc ${path}`,
      kind: 'server' as const,
      service,
      traceparent,
      attributes: () => ({ ...ofMethod, ...callerAttributes(call.metadata) }),
      outcome: serverOutcome,
    };
    inSpan(span, () => (inFlightLimit === undefined ? run() : inFlightLimit.run(run))).then(
      (response) => {
        clearCancellation(call);
        callback(null, response);
        metrics?.recordCall(path, 'OK', monotonicMs() - startedMs);
      },
      (error: unknown) => {
        clearCancellation(call);
        const code = refuse(path, error, callback, logger);
        metrics?.recordCall(path, status[code], monotonicMs() - startedMs);
      },
    );
  };
}

async function answer(
  { path, responseSerialize, responseDeserialize }: AnyMethod,
  handler: AnyHandler,
  {
    call,
    context,
    clock,
    idempotencyRecords,
    secrets,
    isJoinable,
  }: RpcDependencies & {
    call: ServerUnaryCall<unknown, unknown>;
    context: CallContext;
    secrets: readonly string[];
    isJoinable: boolean;
  },
): Promise<unknown> {
  const { idempotency } = context;
  const run = (passedOn: CallContext) => handler(call.request, passedOn);
  if (idempotency === undefined || idempotencyRecords === undefined) return run(context);
  return runOncePerKey(idempotencyRecords, clock, {
    path,
    context: { ...context, idempotency },
    run,
    isJoinable,
    onReplay: () => {
      call.sendMetadata(replayedMetadata());
    },
    toBytes: (first) => responseSerialize(withoutSecrets(first, secrets)),
    fromBytes: (bytes) => responseDeserialize(bytes),
  });
}

function withoutSecrets(response: unknown, secrets: readonly string[]): unknown {
  const blanks = Object.fromEntries(secrets.map((name) => [name, '']));
  return { ...(response as object), ...blanks };
}

function refuseDeleted({ tenant }: CallContext, { isDeleted }: RpcDependencies): void {
  if (isDeleted?.(tenant.environmentId) === true) {
    throw new DomainError('not_found', 'ENVIRONMENT_NOT_FOUND', 'Environment not found');
  }
}

function refuse(
  path: string,
  error: unknown,
  callback: sendUnaryData<unknown>,
  logger: Logger,
): status {
  if (isBug(error)) logger.error({ err: error, rpc: path }, 'call failed');
  const sent = { code: status.UNKNOWN, metadata: new Metadata(), ...toServerStatus(error) };
  callback(sent);
  return sent.code;
}

function readContext(
  call: ServerUnaryCall<unknown, unknown>,
  needsTenant: boolean,
  clock: Clock,
): CallContext {
  const deadline = readDeadline(call);
  const { tenant, ...rest } = fromMetadata(call.metadata, clock);
  if (tenant === undefined && needsTenant) {
    throw new DomainError('invalid_input', 'TENANT_REQUIRED', 'A call must name its environment');
  }
  let signal: AbortSignal | undefined;
  return {
    ...rest,
    deadline,
    storing: new StoringGate(deadline, clock),
    // Lazy, because most calls never use it.
    get signal() {
      return (signal ??= abortWithCall(call));
    },
    get tenant() {
      if (tenant === undefined) throw new Error('This call carries no tenant');
      return tenant;
    },
  };
}

/**
 * Returns the caller's own deadline. The call lasts longer if the caller grants a grace for the
 * answer.
 */
function readDeadline(call: ServerUnaryCall<unknown, unknown>): Date {
  const graceMs = Number(call.metadata.get('grace-ms')[0] ?? 0);
  const deadline = new Date(new Date(call.getDeadline()).getTime() - graceMs);
  if (Number.isNaN(deadline.getTime())) {
    throw new DomainError('invalid_input', 'DEADLINE_REQUIRED', 'A call must have a deadline');
  }
  return deadline;
}

// grpc-js cancels the call when its deadline passes.
function abortWithCall(call: ServerUnaryCall<unknown, unknown>): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new DeadlineExceededError());
  };
  if (call.cancelled) abort();
  else call.once('cancelled', abort);
  return controller.signal;
}

// grpc-js also marks answered calls as canceled once their stream has ended; then there is nothing
// to abort.
function clearCancellation(call: ServerUnaryCall<unknown, unknown>): void {
  call.removeAllListeners('cancelled');
}

/** Maximum size of a gRPC request. The largest in use are ingest batches of 1 MiB. */
export const messageBytesMax = 4 * 1024 * 1024;

/**
 * Maximum size of a gRPC answer. The largest are pages of 100 resources, each written by a request
 * of at most 256 KiB, with the fields that the services add.
 */
export const answerBytesMax = 64 * 1024 * 1024;
