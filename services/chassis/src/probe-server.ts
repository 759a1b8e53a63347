import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostAndPort, withPort } from './listen-address';

/** Answers the probes of an orchestrator. */
export interface ProbeServer {
  /** `host:port` with the real port. */
  readonly address: string;
  stop(): Promise<void>;
}

// An orchestrator asks one question at a time, at once; nobody else has business here, nor may keep it waiting.
const limits = { headersTimeout: 1_000, requestTimeout: 1_000, connectionsCheckingInterval: 500 };
const connectionsMax = 16;

/**
 * Serves `GET /healthz` (200 as long as the process answers at all) and `GET /readyz` (200 or 503) over plain HTTP, beside the gRPC
 * health service: the probes of Kubernetes have no certificate to show, and calls take none without.
 */
export async function listenForProbes(
  address: string,
  isReady: () => boolean,
): Promise<ProbeServer> {
  const server = createServer(limits, ({ method, url }, response) => {
    const status = method === 'GET' ? statusOf(url, isReady) : 405;
    response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
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

function statusOf(url: string | undefined, isReady: () => boolean): number {
  if (url === '/healthz') return 200;
  if (url === '/readyz') return isReady() ? 200 : 503;
  return 404;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
