import { unlinkSync } from 'node:fs';
import { Server, type ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { answerBytesMax, messageBytesMax, type RpcService } from './rpc';
import { sleep } from '../clock';
import { withPort, listenRefusal } from '../listen-address';
import { addReflection } from './reflection';
import { serverCredentials } from './transport-credentials';
import type { TransportSecurity } from './transport-security';

/** A listening gRPC server. */
export interface GrpcServer {
  /** Address for clients: `unix:/path`, or `host:port` with the real port. */
  readonly address: string;
  /** State that the health service reports. */
  readonly isServing: boolean;
  /** A server that is not open serves other services only. */
  setServing(isServing: boolean, isOpen?: boolean): void;
  /** Waits at most `graceMs` for running calls, then cancels the rest. */
  stop(options: { drainDelayMs: number; graceMs: number }): Promise<void>;
}

/** Options of a server in addition to its services. */
export interface ListenOptions {
  /** Undefined: every process that reaches the address may call. */
  readonly security?: TransportSecurity | undefined;
  /** Enables gRPC reflection. */
  readonly reflection?: boolean;
  /**
   * Age (give or take a tenth) at which a connection accepts no more calls, and clients resolve the
   * address again.
   */
  readonly connectionAgeMs?: number;
  /** Interval of keepalive pings. */
  readonly keepaliveMs?: number;
}

/** Name by which the health service reports if callers from outside are served. */
export const openHealth = 'open';

const connectionAgeMsDefault = 5 * 60_000;
const keepaliveMsDefault = 30_000;
// Longer than the longest deadline (the advance of a clock has 10 minutes), so the age of a
// connection never ends a call.
const connectionAgeGraceMs = 11 * 60_000;

const serverOptions: ServerOptions = {
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc.max_send_message_length': answerBytesMax,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_age_grace_ms': connectionAgeGraceMs,
  // Per-call statistics, which nothing here reads.
  'grpc.enable_channelz': 0,
};

/** Binds and listens. The health service reports not serving until setServing(true). */
export async function listen(
  address: string,
  services: readonly RpcService[],
  {
    security,
    reflection = false,
    connectionAgeMs = connectionAgeMsDefault,
    keepaliveMs = keepaliveMsDefault,
  }: ListenOptions = {},
): Promise<GrpcServer> {
  const server = new Server({
    ...serverOptions,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.max_connection_age_ms': connectionAgeMs,
  });
  for (const { definition, implementation } of services) {
    server.addService(definition, implementation);
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING', [openHealth]: 'SERVING' });
  health.addToServer(server);
  if (reflection) addReflection(server, services);
  removeStaleSocket(address);
  const port = await bind(server, address, serverCredentials(security));
  let serving = false;
  const setServing = (isServing: boolean, isOpen = true) => {
    serving = isServing;
    health.setStatus('', isServing ? 'SERVING' : 'NOT_SERVING');
    health.setStatus(openHealth, isOpen ? 'SERVING' : 'NOT_SERVING');
  };
  return {
    address: address.startsWith('unix:') ? address : withPort(address, port),
    get isServing() {
      return serving;
    },
    setServing,
    stop: async ({ drainDelayMs, graceMs }) => {
      setServing(false);
      await sleep(drainDelayMs);
      await drain(server, graceMs);
    },
  };
}

// A killed process leaves its socket file behind, which would make every later bind fail.
function removeStaleSocket(address: string): void {
  if (!address.startsWith('unix:')) return;
  try {
    unlinkSync(address.slice('unix:'.length));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error !== null) reject(listenRefusal(address, error));
      else resolve(port);
    });
  });
}

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
