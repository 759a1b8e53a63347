import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** An HTTP proxy on 127.0.0.1, by which builds in an engine reach the registry of packages. */
export interface ForwardProxy {
  readonly port: number;
  close(): void;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const server = createServer((_request, response) => {
    response.writeHead(405).end();
  });
  server.on('connect', ({ url = '' }, client, head: Buffer) => {
    const [host = '', port] = url.split(':');
    const target = connect({ host, port: Number(port) }, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
