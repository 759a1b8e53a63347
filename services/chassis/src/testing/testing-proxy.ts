import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a server. Tests can cut its connections as a network failure does. */
export interface TestProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /** Closes all connections, and new ones immediately. */
  cut(): void;
  /** Accepts connections again. */
  restore(): void;
  close(): Promise<void>;
}

/** `url` may name several servers, separated by commas; the first one is used. */
export async function startTestProxy(url: string): Promise<TestProxy> {
  const target = new URL(url.split(',')[0] ?? url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inside) => {
    if (isCut) {
      inside.destroy();
      return;
    }
    const outside = connect(Number(target.port), target.hostname);
    inside.pipe(outside).pipe(inside);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        inside.destroy();
        outside.destroy();
        sockets.delete(socket);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${String(port)}` }).href,
    cut,
    restore: () => {
      isCut = false;
    },
    close: async () => {
      cut();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
