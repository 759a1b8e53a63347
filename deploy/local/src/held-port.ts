import { createServer } from 'node:net';
import { listenRefusal } from '@billing/chassis/listen-address';

/** A port that no other program can take until it is released. */
export interface HeldPort {
  release(): Promise<void>;
}

/**
 * Reserves the port before anything else starts, and refuses the start if another program has it.
 * Connections are closed until the gateway listens.
 */
export async function holdPort(port: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(listenRefusal(`127.0.0.1:${String(port)}`, error));
    });
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
  return {
    release: async () => {
      if (!server.listening) return;
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
