import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './listen-address';

test('no port is given twice, although none is bound yet', async () => {
  const ports = new Set<number>();
  for (let count = 1; count <= 1_000; count += 1) ports.add(await freePort());
  expect(ports.size).toBe(1_000);
});

test('a free port can be bound, and is none of outgoing connections', async () => {
  const port = await freePort();
  expect(port).toBeGreaterThanOrEqual(1024);
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen({ host: '127.0.0.1', port });
  await once(server, 'listening');
  server.close();
});
