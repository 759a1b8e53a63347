import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { monotonicMs, sleep } from '@billing/chassis/clock';
import { newRequestId } from '@billing/chassis/ids';
import { hostAndPort, listenRefusal } from '@billing/chassis/listen-address';
import type { Logger } from '@billing/chassis/logging';
import type { HttpError } from './error';
import { IdleConnections } from './idle-connections';
import {
  expectationUnknown,
  hostMissing,
  hostTwice,
  refusalBytes,
  refusalOf,
  refusalParts,
} from './refusal';
import { stalledMs } from './streamed-body';

// Longer than the keep-alive of common load balancers, so that the load balancer closes first.
const keepAliveMs = 65_000;
// Usual headers need about one kilobyte; URLs may use the rest.
const headerBytesMax = 16 * 1024;
// Forces reconnects, so that load balancers can rebalance callers.
const requestsPerConnectionMax = 10_000;
// Interval of the checks for slow callers.
const slowCallersEveryMs = 1_000;
// Time for connections that were opened just before the stop to send their request.
const lastCallMs = 1_000;

/** Limits of time and connections. */
interface HttpLimits {
  /**
   * Timeout from the first byte of a request or the start of its connection to the end of its
   * headers.
   */
  readonly headersMs: number;
  /** Timeout from the first to the last byte of a request. */
  readonly requestMs: number;
  readonly connectionsMax: number;
  /**
   * Maximum number of unused connections per network, and of reusable ones; see IdleConnections.
   */
  readonly idlePerNetworkMax: number;
}

/** Dependencies of a server. */
export interface HttpServerDependencies {
  readonly app: RequestListener;
  readonly logger: Logger;
  readonly limits: HttpLimits;
  /** Default headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** True for the address of a trusted proxy. */
  readonly isProxy: (address: string) => boolean;
}

/**
 * Serves HTTP to callers that may be slow, broken or hostile, and stops without interrupting
 * requests.
 */
export class HttpServer {
  private readonly server: Server;
  private readonly running = new Set<ServerResponse>();
  private readonly latest = new WeakMap<Duplex, ServerResponse>();
  private readonly idle: IdleConnections;
  private draining = false;
  private isLastCall = false;

  constructor(private readonly dependencies: HttpServerDependencies) {
    const { limits, isProxy } = dependencies;
    this.idle = new IdleConnections({
      maxPerNetwork: limits.idlePerNetworkMax,
      isProxy,
      now: monotonicMs,
    });
    this.server = createServer(
      {
        keepAliveTimeout: keepAliveMs,
        headersTimeout: Math.min(limits.headersMs, limits.requestMs),
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: slowCallersEveryMs,
        maxHeaderSize: headerBytesMax,
        // Refused below with the usual error format.
        requireHostHeader: false,
      },
      (request, response) => {
        this.serve(request, response);
      },
    );
    this.server.maxRequestsPerSocket = requestsPerConnectionMax;
    this.server.maxConnections = limits.connectionsMax;
    this.server.on('connection', (socket) => {
      const { remoteAddress } = socket;
      this.idle.open(socket);
      socket.once('close', () => {
        this.idle.close(socket, remoteAddress);
      });
    });
    this.server.on('checkExpectation', (_request, response) => {
      this.refuse(response, expectationUnknown);
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.refuseBytes(error.code, socket);
    });
  }

  /** True before a stop; load balancers should send no more requests. */
  get isDraining(): boolean {
    return this.draining;
  }

  get activeRequests(): number {
    return this.running.size;
  }

  /** Starts to listen and returns the base URL. */
  listen(address: string): Promise<string> {
    const { server } = this;
    const { host, port } = hostAndPort(address);
    return new Promise((resolve, reject) => {
      server.once('error', (cause) => {
        reject(listenRefusal(address, cause));
      });
      server.listen(port, host, () => {
        const { port: boundPort } = server.address() as AddressInfo;
        resolve(`http://${host.includes(':') ? `[${host}]` : host}:${String(boundPort)}`);
      });
    });
  }

  /**
   * Stops in two phases. During `drainDelayMs`, the server keeps serving, is not ready, and asks
   * callers to reconnect elsewhere. Then it accepts no requests and waits at most `graceMs` for
   * those in flight.
   */
  async stop({ drainDelayMs, graceMs }: { drainDelayMs: number; graceMs: number }): Promise<void> {
    this.draining = true;
    for (const response of this.running) announceClose(response);
    await sleep(drainDelayMs);
    await this.close(graceMs);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const { app, headers } = this.dependencies;
    const { socket } = request;
    this.running.add(response);
    this.latest.set(socket, response);
    const isCrowded = this.idle.use(socket);
    response.once('close', () => {
      this.running.delete(response);
      // A pipelined request may already be running.
      if (!socket.destroyed && this.latest.get(socket) === response) this.idle.answered(socket);
      this.endIfQuiet();
    });
    response.once('prefinish', () => {
      socket.setTimeout(stalledMs);
    });
    if (this.draining || isCrowded) announceClose(response);
    const problem = hostProblem(request);
    if (problem !== undefined) {
      this.refuse(response, problem);
      return;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    app(request, response);
  }

  private refuse(response: ServerResponse, problem: HttpError): void {
    const { headers, body } = refusalParts(problem, this.refusalHeaders(problem));
    response.writeHead(problem.status, headers).end(body);
  }

  private refuseBytes(errorCode: string | undefined, socket: Duplex): void {
    const end = () => {
      if (!socket.writable) return void socket.destroy();
      const problem = refusalOf(errorCode);
      socket.end(refusalBytes(problem, this.refusalHeaders(problem)), () => socket.destroy());
    };
    const response = this.latest.get(socket);
    if (response === undefined || !this.running.has(response)) end();
    // The error concerns the next request; the response of the current one comes first.
    else if (response.req.complete) response.once('close', end);
    else if (response.headersSent) socket.destroy();
    else end();
  }

  private refusalHeaders({ status, code }: HttpError): Readonly<Record<string, string>> {
    const requestId = newRequestId();
    this.dependencies.logger.info({ status, code, request_id: requestId }, 'request refused');
    return { ...this.dependencies.headers, 'X-Request-Id': requestId };
  }

  private close(graceMs: number): Promise<void> {
    const { server } = this;
    return new Promise((resolve) => {
      const timers = [
        setTimeout(() => {
          server.closeAllConnections();
        }, graceMs),
        setTimeout(
          () => {
            this.isLastCall = true;
            this.endIfQuiet();
          },
          Math.min(lastCallMs, graceMs),
        ),
      ];
      server.close(() => {
        for (const timer of timers) clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  }

  // An unused connection would delay the stop by the request timeout.
  private endIfQuiet(): void {
    if (this.isLastCall && this.running.size === 0) this.server.closeAllConnections();
  }
}

// With two Host headers, a proxy may have used the other one.
function hostProblem({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage) {
  const isHost = (text: string, index: number) =>
    index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
  const hosts = rawHeaders.filter(isHost).length;
  if (hosts > 1) return hostTwice;
  const needsHost = httpVersionMajor > 1 || httpVersionMinor > 0;
  return hosts === 0 && needsHost ? hostMissing : undefined;
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
