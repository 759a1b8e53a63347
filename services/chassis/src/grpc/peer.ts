import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { idempotentCalls } from '@billing/proto/idempotent-calls';
import { systemClock } from '../clock';
import { callMetadata, markFromService, toMetadata } from './call-metadata';
import type { CallContext } from './call-context';
import { atBoundary } from '../failpoint';
import { DeadlineExceededError, fromServiceError, peerUnavailable } from './grpc-status';
import { openHealth } from './grpc-server';
import { isReplayed } from './replay';
import { answerBytesMax, type AsyncHandlers, messageBytesMax } from './rpc';
import { Semaphore } from '../concurrency/semaphore';
import { clientOutcome, rpcAttributes } from './span-attributes';
import { currentTraceparent, inSpan } from '../telemetry/tracing';
import { channelCredentials } from './transport-credentials';
import type { TransportSecurity } from './transport-security';
import { service as healthService } from 'grpc-health-check';

/**
 * Another service's methods as async functions. They fail with a DomainError, a
 * DeadlineExceededError, or a plain Error for a bug in the peer.
 */
export type Peer<S> = AsyncHandlers<S> & { close(): void };

/** Options of a connection to a peer. */
export interface PeerOptions<S> {
  /** `dns:///host:port` or `unix:/path`. */
  readonly address: string;
  /** The calling service, for traces. */
  readonly service: string;
  /** Enables retries of idempotent calls after an unclear failure. Default: true. */
  readonly retries?: boolean;
  /** Methods that carry no tenant. */
  readonly withoutTenant?: readonly (keyof AsyncHandlers<S>)[];
  /**
   * Maximum number of concurrent calls; others wait. Undefined: unlimited, and the peer refuses
   * calls over its own limit.
   */
  readonly callsMax?: number;
  /** True for the peers of services, false for those of the gateway and of programs. */
  readonly fromService?: boolean;
  /** Undefined: plaintext. */
  readonly security?: TransportSecurity | undefined;
  /** Interval of keepalive pings. */
  readonly keepaliveMs?: number;
}

// 4 attempts within about a second: enough for a replica that restarts, short enough for a caller
// with a deadline of 10 s.
const retryPolicy = {
  maxAttempts: 4,
  initialBackoff: '0.1s',
  maxBackoff: '1s',
  backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};

// The library's words for a call that no connection could take.
const noConnection = 'No connection established';
const reconnectWithinMs = 1_000;

// Keepalive detects a dead peer within 30 s.
const keepaliveMsDefault = 20_000;

// Reconnecting starts fast, because a local restart takes well under a second.
const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': answerBytesMax,
  'grpc.max_send_message_length': messageBytesMax,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  // If names are cached, the first lookup after a replica is replaced may still return the old one;
  // by default the library would wait 30 s for the next lookup.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.enable_retries': 1,
  // Per-call statistics, which nothing here reads.
  'grpc.enable_channelz': 0,
};

/**
 * Connects to a service. Calls pass on tenant, deadline, cancellation and trace of their context.
 */
export function connectPeer<S extends UntypedServiceImplementation>(
  definition: ServiceDefinition,
  options: PeerOptions<S>,
): Peer<S> {
  const client = new Client(options.address, channelCredentials(options.security), {
    ...channelOptions,
    'grpc.keepalive_time_ms': options.keepaliveMs ?? keepaliveMsDefault,
    'grpc.service_config': serviceConfig(definition, options.retries ?? true),
  });
  const slots = options.callsMax === undefined ? undefined : new Semaphore(options.callsMax);
  const methods: Record<string, unknown> = {
    close: () => {
      client.close();
    },
  };
  for (const [name, method] of Object.entries(definition)) {
    const carriesTenant = !(options.withoutTenant ?? []).includes(name as keyof AsyncHandlers<S>);
    const span = {
      name: `grpc ${method.path}`,
      kind: 'client' as const,
      service: options.service,
      attributes: rpcAttributes(method.path),
      outcome: clientOutcome,
    };
    methods[name] = (request: unknown, context: CallContext) =>
      inSpan(span, () => {
        const traceparent = currentTraceparent();
        const metadata = carriesTenant
          ? toMetadata(context, traceparent)
          : callMetadata(context, traceparent);
        if (options.fromService === true) markFromService(metadata);
        const run = () =>
          atBoundary('call', method.path, () =>
            callConnected(client, method, { request, metadata, context }),
          );
        return slots === undefined ? run() : slots.run(run);
      });
  }
  return methods as Peer<S>;
}

// Retrying a creation with a new id would create two resources if its answer was lost.
function serviceConfig(definition: ServiceDefinition, retries: boolean): string {
  const names = Object.values(definition)
    .filter(({ path }) => retries && idempotentCalls.has(path))
    .map(({ path }) => {
      const [, service, method] = path.split('/');
      return { service, method };
    });
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [{ name: names, retryPolicy }],
  });
}

function asBytes(bytes: Buffer): Buffer {
  return bytes;
}

function answeredUntil({ deadline, graceMs = 0 }: CallContext): Date {
  return graceMs === 0 ? deadline : new Date(deadline.getTime() + graceMs);
}

interface Call {
  readonly request: unknown;
  readonly metadata: Metadata;
  readonly context: CallContext;
}

/**
 * Calls a method. A call that found no connection was not sent, whether its method is idempotent or
 * not: it is made again if there is a connection within a second and before its deadline.
 */
async function callConnected(
  client: Client,
  method: MethodDefinition<unknown, unknown>,
  made: Call,
): Promise<unknown> {
  try {
    return await call(client, method, made);
  } catch (error) {
    if (!isUnsent(error) || !(await isConnectedSoon(client, made.context))) throw error;
    return await call(client, method, made);
  }
}

function isUnsent(error: unknown): boolean {
  const { code, details } = ((error as Error).cause ?? {}) as Partial<ServiceError>;
  return code === status.UNAVAILABLE && details?.includes(noConnection) === true;
}

/** False once the caller has disconnected. */
function isConnectedSoon(client: Client, context: CallContext): Promise<boolean> {
  const { signal } = context;
  const soonMs = systemClock.now().getTime() + reconnectWithinMs;
  return new Promise((resolve) => {
    const stop = () => {
      resolve(false);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    client.waitForReady(Math.min(soonMs, answeredUntil(context).getTime()), (error) => {
      signal.removeEventListener('abort', stop);
      resolve(error === undefined);
    });
  });
}

function call(
  client: Client,
  method: MethodDefinition<unknown, unknown>,
  { request, metadata, context }: Call,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) {
      reject(new DeadlineExceededError());
      return;
    }
    const callOptions: CallOptions = { deadline: answeredUntil(context) };
    // Messages are serialized here, because the library reports a failure to do so with the same
    // code as a stream that was cut.
    const bytes = method.requestSerialize(request);
    const running = client.makeUnaryRequest<Buffer, Buffer>(
      method.path,
      asBytes,
      asBytes,
      bytes,
      metadata,
      callOptions,
      (error, response) => {
        context.signal.removeEventListener('abort', cancel);
        if (error !== null) reject(toError(error, context.signal));
        else resolve(Promise.resolve(response ?? Buffer.alloc(0)).then(method.responseDeserialize));
      },
    );
    const onReplayed = context.idempotency?.onReplayed;
    if (onReplayed !== undefined) {
      running.once('metadata', (sent: Metadata) => {
        if (isReplayed(sent)) onReplayed();
      });
    }
    const cancel = () => {
      running.cancel();
    };
    context.signal.addEventListener('abort', cancel, { once: true });
  });
}

// A peer that closes its connections cancels their streams. On this side only a caller that
// disconnected cancels.
function toError(error: ServiceError, signal: AbortSignal): Error {
  const isCut = error.code === status.CANCELLED && !signal.aborted;
  return isCut ? peerUnavailable(error) : fromServiceError(error);
}

interface AskOptions {
  readonly deadline: Date;
  readonly security?: TransportSecurity | undefined;
}

/** Asks a service if it serves; false also if it does not answer before the deadline. */
export async function isServing(address: string, options: AskOptions): Promise<boolean> {
  return await askHealth(address, options, async (healthOf) => (await healthOf('')) === 'SERVING');
}

/** Callers that a service serves: only the others while it recovers from a restore. */
export type Served = 'all' | 'services' | 'none';

/** Asks a service which callers it serves. */
export async function servedTo(address: string, options: AskOptions): Promise<Served> {
  return await askHealth(address, options, async (healthOf) => {
    if ((await healthOf('')) !== 'SERVING') return 'none';
    // Earlier releases do not know the name.
    return (await healthOf(openHealth)) === 'NOT_SERVING' ? 'services' : 'all';
  });
}

async function askHealth<T>(
  address: string,
  { deadline, security }: AskOptions,
  ask: (healthOf: (service: string) => Promise<Health>) => Promise<T>,
): Promise<T> {
  const client = new Client(address, channelCredentials(security));
  try {
    return await ask((service) => healthOf(client, service, deadline));
  } finally {
    client.close();
  }
}

type Health = 'SERVING' | 'NOT_SERVING' | 'UNKNOWN';
const healthByNumber: readonly Health[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING'];

function healthOf(client: Client, service: string, deadline: Date): Promise<Health> {
  const check = healthService.Check;
  if (check === undefined) throw new Error('The health service has no Check');
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      check.path,
      check.requestSerialize as (request: object) => Buffer,
      check.responseDeserialize as (bytes: Buffer) => { status?: Health | number },
      { service },
      { deadline },
      (error, response) => {
        const { status: answer = 'UNKNOWN' } = error === null ? (response ?? {}) : {};
        resolve(typeof answer === 'number' ? (healthByNumber[answer] ?? 'UNKNOWN') : answer);
      },
    );
  });
}
