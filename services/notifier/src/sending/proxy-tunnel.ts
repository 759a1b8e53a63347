import { request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

export interface TunnelOptions {
  /** HTTP proxy; user and password, if any, are sent to it. */
  readonly proxy: URL;
  /** IP address of the destination. */
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
}

/**
 * Opens a connection through an HTTP proxy (CONNECT). Names the destination by its address, so that
 * the proxy reaches the one that was verified.
 */
export function openTunnel({ proxy, address, port, timeoutMs }: TunnelOptions): Promise<Socket> {
  const path = `${isIPv6(address) ? `[${address}]` : address}:${String(port)}`;
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      path,
      headers: { Host: path, ...authorization(proxy) },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    asking.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new Error(`The proxy answered ${String(statusCode)}`));
    });
    // A proxy that does not know CONNECT answers as to any other request.
    asking.once('response', (response) => {
      response.destroy();
      reject(new Error(`The proxy answered ${String(response.statusCode)}`));
    });
    asking.once('error', reject);
    asking.end();
  });
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
