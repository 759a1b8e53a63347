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
import { hostAndPort } from '@billing/chassis/listen-address';
import type { Logger } from '@billing/chassis/logging';
import { listenRefusal } from '@billing/chassis/start-refusal';
import type { HttpError } from './http-error';
import { IdleConnections } from './idle-connections';
import {
  expectationUnknown,
  hostMissing,
  hostTwice,
  refusalBytes,
  refusalOf,
  refusalParts,
} from './refusal';

// Longer than usual load balancers keep theirs, so that it is they who close.
const keepAliveMs = 65_000;
// A key, a trace and a few conditions take one; addresses are as long as headers allow.
const headerBytesMax = 16 * 1024;
// Every so often a caller connects anew, and load balancers may find another gateway for it.
const requestsPerConnectionMax = 10_000;
// So much later than its limit a slow caller may be found.
const slowCallersEveryMs = 1_000;
// Who takes nothing of its answer for so long has gone away.
const stalledMs = 30_000;
// A connection may have been made and not used yet when the last call comes.
const lastCallMs = 1_000;

/** What callers may take of time and connections. */
export interface HttpLimits {
  /** From the first byte of a request, or of its connection, to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last one of its body. */
  readonly requestMs: number;
  readonly connectionsMax: number;
  /**
   * Of one network, connections that were never used, and as many that wait after an answer; see
   * IdleConnections.
   */
  readonly idlePerNetworkMax: number;
}

/** What a server is made of. */
export interface HttpServerDependencies {
  readonly app: RequestListener;
  readonly logger: Logger;
  readonly limits: HttpLimits;
  /** On every answer, unless the answer says otherwise. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether an address is a trusted proxy's. */
  readonly isProxy: (address: string) => boolean;
}

/**
 * Serves HTTP to callers who may be slow, broken or hostile, and stops without cutting off a
 * request.
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
        // Refused below, in the shape of all errors.
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

  /** Whether it is about to stop: load balancers should send nothing more. */
  get isDraining(): boolean {
    return this.draining;
  }

  get activeRequests(): number {
    return this.running.size;
  }

  /** The base URL at which it then serves. */
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
   * For `drainDelayMs` it serves on, but is not ready, and every answer asks its caller to connect
   * anew: elsewhere. Then nobody new gets in, and running requests are answered for at most
   * `graceMs` before what is left is cut.
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
      // A pipelined request may run already.
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
    // What goes wrong is the request after this one: its answer comes first.
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

  // A connection that nothing was sent on would hold up the stop for as long as a request may.
  private endIfQuiet(): void {
    if (this.isLastCall && this.running.size === 0) this.server.closeAllConnections();
  }
}

// Of two, whoever stands in front may have looked at the other one.
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
