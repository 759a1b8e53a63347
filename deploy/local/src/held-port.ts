import { createServer } from 'node:net';
import { listenRefusal } from '@billing/chassis/listen-address';
import { listenAddress } from './system/service-environment';

/** A port that no other program can take until it is released. */
export interface HeldPort {
  release(): Promise<void>;
}

/**
 * Reserves the port before anything else starts, and refuses the start if another program has it.
 * Connections are closed until the gateway listens.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(listenRefusal(listenAddress({ host, port }), error));
    });
    server.listen({ host, port }, resolve);
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
