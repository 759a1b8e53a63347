import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Recorded call of the Docker API. */
export interface EngineCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Settings of a container that tests check. */
export interface EngineContainer {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

const CONTAINER_ID = 'c'.repeat(64);

/**
 * A Docker engine for tests of the calls to an engine, on machines without one. It has every image
 * and records its calls. Its single container runs until it is stopped or removed.
 */
export class TestingEngine {
  readonly calls: EngineCall[] = [];
  private readonly server: Server;
  private created: EngineContainer | undefined;
  private waiting: ServerResponse[] = [];

  private constructor() {
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
  }

  static async listen(socketPath: string): Promise<TestingEngine> {
    const engine = new TestingEngine();
    await new Promise<void>((resolve) => engine.server.listen(socketPath, resolve));
    return engine;
  }

  /** Calls of a method to paths with this suffix. */
  callsOf(method: string, end: string): readonly EngineCall[] {
    return this.calls.filter((call) => call.method === method && call.path.endsWith(end));
  }

  /** Ends its container unexpectedly. */
  endContainer(): void {
    for (const response of this.waiting.splice(0)) answer(response, 200, { StatusCode: 1 });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine');
    const path = pathname.replace(/^\/v[\d.]+/, '');
    const { method = 'GET' } = request;
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    this.calls.push({ method, path, query: searchParams, body });
    this.answerTo({ method, path, body }, response);
  }

  private answerTo(
    { method, path, body }: Pick<EngineCall, 'method' | 'path' | 'body'>,
    response: ServerResponse,
  ): void {
    switch (`${method} ${path.replace(/^\/(containers|images)\/.+\/(\w+)$/, '/$1/:id/$2')}`) {
      case 'GET /info':
        answer(response, 200, { OperatingSystem: 'Test', ServerVersion: '1', Architecture: 'x' });
        return;
      case 'GET /images/:id/json':
        answer(response, 200, { Id: 'sha256:1' });
        return;
      case 'POST /containers/create':
        this.created = body as EngineContainer;
        answer(response, 201, { Id: CONTAINER_ID, Warnings: [] });
        return;
      case 'GET /containers/:id/json':
        answer(response, 200, this.inspection());
        return;
      case 'GET /containers/:id/logs':
        response.end();
        return;
      case 'POST /containers/:id/wait':
        this.waiting.push(response);
        return;
      case 'POST /containers/:id/start':
        response.writeHead(204).end();
        return;
      case 'POST /containers/:id/stop':
        response.writeHead(204).end();
        this.endContainer();
        return;
      default:
        this.answerOther(method, response);
    }
  }

  private answerOther(method: string, response: ServerResponse): void {
    const isRemoval = method === 'DELETE' && this.created !== undefined;
    if (isRemoval) response.writeHead(204).end();
    else answer(response, 404, { message: 'There is no such thing' });
  }

  private inspection(): unknown {
    const HostConfig = this.created?.HostConfig;
    return {
      Id: CONTAINER_ID,
      Name: '/test',
      Config: { Hostname: 'test', Labels: {}, Tty: true },
      State: { Running: true, Status: 'running', StartedAt: new Date(0).toISOString() },
      HostConfig,
      NetworkSettings: { Ports: HostConfig?.PortBindings, Networks: {} },
    };
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
