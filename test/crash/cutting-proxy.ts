import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Header: the proxy cuts the request's connections this many milliseconds after forwarding it. */
export const cutAfterHeader = 'cut-after-ms';
/** Header: the gateway that the request is for. */
export const gatewayHeader = 'gateway';

/**
 * A proxy in front of gateways. It forwards complete requests, and reads no response to requests
 * that it cuts.
 */
export class CuttingProxy {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(gatewayUrls: readonly string[]): Promise<CuttingProxy> {
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      void passOn(gatewayUrls, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new CuttingProxy(server, `http://127.0.0.1:${String(port)}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function passOn(
  gatewayUrls: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await request.setEncoding('utf8').toArray()).join('');
  const { [cutAfterHeader]: cutAfterMs, [gatewayHeader]: gateway, authorization } = request.headers;
  const url = gatewayUrls[Number(gateway)] ?? '';
  const socket = await openPaused(url);
  const lines = [
    `${request.method ?? ''} ${request.url ?? ''} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: ${authorization ?? ''}`,
    'Content-Type: application/json',
    // The end of a streamed response is the end of its connection.
    `Connection: ${cutAfterMs === undefined ? 'close' : 'keep-alive'}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  if (cutAfterMs === undefined) {
    // Streams the response to its last byte.
    const caller = response.socket;
    if (caller !== null) socket.pipe(caller);
    return;
  }
  await pause(Number(cutAfterMs));
  socket.destroy();
  response.destroy();
}

/** A connection that has not been read yet. */
async function openPaused(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}
