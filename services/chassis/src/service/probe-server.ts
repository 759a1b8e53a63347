import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostAndPort, withPort } from '../listen-address';

/** Server for the probes of an orchestrator. */
export interface ProbeServer {
  /** `host:port` with the real port. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Readiness of a process. */
export interface Readiness {
  readonly isReady: boolean;
  /** Included in the body after `status`. */
  readonly facts: Readonly<Record<string, string>>;
}

// An orchestrator sends one short request at a time; other clients must not keep it waiting.
const limits = { headersTimeout: 1_000, requestTimeout: 1_000, connectionsCheckingInterval: 500 };
const connectionsMax = 16;

/**
 * Serves `GET /healthz` (200 while the process answers at all) and `GET /readyz` (200 or 503, with
 * the facts as JSON) over plain HTTP, in addition to the gRPC health service: Kubernetes probes
 * have no certificate, and gRPC requires one.
 */
export async function listenForProbes(
  address: string,
  readiness: () => Promise<Readiness>,
): Promise<ProbeServer> {
  const server = createServer(limits, ({ method, url }, response) => {
    void answer(method === 'GET' ? url : undefined, readiness).then(({ status, body }) => {
      const type = body === '' ? {} : { 'Content-Type': 'application/json' };
      const length = Buffer.byteLength(body);
      response
        .writeHead(status, { Connection: 'close', 'Content-Length': length, ...type })
        .end(body);
    });
  });
  server.maxConnections = connectionsMax;
  const { host, port } = hostAndPort(address);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`Cannot listen on ${address}`, { cause: error });
  }
  return {
    address: withPort(address, (server.address() as AddressInfo).port),
    stop: () => close(server),
  };
}

/** `url` is undefined for methods other than GET. */
async function answer(
  url: string | undefined,
  readiness: () => Promise<Readiness>,
): Promise<{ status: number; body: string }> {
  if (url === undefined) return { status: 405, body: '' };
  if (url === '/healthz') return { status: 200, body: '' };
  if (url !== '/readyz') return { status: 404, body: '' };
  const { isReady, facts } = await readiness();
  const body = JSON.stringify({ status: isReady ? 'ready' : 'not_ready', ...facts });
  return { status: isReady ? 200 : 503, body };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
