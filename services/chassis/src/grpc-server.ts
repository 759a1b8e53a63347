import { unlinkSync } from 'node:fs';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { RpcService } from './rpc';
import { sleep } from './clock';

/** A listening gRPC server. */
export interface GrpcServer {
  /** What a client dials: `unix:/path` or `host:port` with the real port. */
  readonly address: string;
  setServing(isServing: boolean): void;
  /** Answers running calls for at most `graceMs`, then cuts what is left. */
  stop(options: { drainDelayMs: number; graceMs: number }): Promise<void>;
}

// Requests of ours stay far below; ingest batches of 1 MiB are the largest.
const messageBytesMax = 4 * 1024 * 1024;

const serverOptions: ServerOptions = {
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
};

/** Binds and serves; not serving (health) until setServing(true). */
export async function listen(
  address: string,
  services: readonly RpcService[],
): Promise<GrpcServer> {
  const server = new Server(serverOptions);
  for (const { definition, implementation } of services) {
    server.addService(definition, implementation);
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  health.addToServer(server);
  removeStaleSocket(address);
  const port = await bind(server, address);
  return {
    address: address.startsWith('unix:') ? address : address.replace(/:\d+$/, `:${String(port)}`),
    setServing: (isServing) => {
      health.setStatus('', isServing ? 'SERVING' : 'NOT_SERVING');
    },
    stop: async ({ drainDelayMs, graceMs }) => {
      health.setStatus('', 'NOT_SERVING');
      await sleep(drainDelayMs);
      await drain(server, graceMs);
    },
  };
}

// A process that was killed leaves its socket file behind, and binding to it would fail for ever.
function removeStaleSocket(address: string): void {
  if (!address.startsWith('unix:')) return;
  try {
    unlinkSync(address.slice('unix:'.length));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error !== null) reject(new Error(`Cannot listen on ${address}`, { cause: error }));
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
