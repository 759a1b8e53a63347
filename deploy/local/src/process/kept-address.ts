import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP port, or the path of a socket. */
export type SocketAddress =
  { readonly host: string; readonly port: number } | { readonly path: string };

const RETRY_MS = 50;
/** A paused socket does not show that its caller has disconnected. */
const WAIT_MAX_MS = 30_000;

/**
 * Listens at the address of a program that restarts. Connections are passed to the program's own
 * address, and wait while nothing listens there: no caller is refused. For development, because the
 * program sees every caller on this machine.
 */
export async function keepAddress(
  address: SocketAddress,
  program: SocketAddress,
): Promise<{ close(): Promise<void> }> {
  const callers = new Set<Socket>();
  let isClosed = false;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (caller) => {
    // A connection that was made before the end may be noticed after it.
    if (isClosed) {
      caller.destroy();
      return;
    }
    callers.add(caller);
    caller.on('close', () => callers.delete(caller)).on('error', () => caller.destroy());
    pass(caller, { program, until: performance.now() + WAIT_MAX_MS });
  });
  await listening(server, address);
  return {
    close: () =>
      new Promise((resolve) => {
        isClosed = true;
        server.close(() => {
          resolve();
        });
        for (const caller of callers) caller.destroy();
      }),
  };
}

function listening(server: Server, address: SocketAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
}

/** Tries until the program takes the connection; disconnects the caller after a time. */
function pass(
  caller: Socket,
  { program, until }: { readonly program: SocketAddress; readonly until: number },
): void {
  if (performance.now() > until) caller.destroy();
  if (caller.destroyed) return;
  const passed = connect({ ...program, allowHalfOpen: true });
  const retry = (): void => {
    setTimeout(() => {
      pass(caller, { program, until });
    }, RETRY_MS);
  };
  passed.once('error', retry);
  passed.once('connect', () => {
    passed.off('error', retry).on('error', () => caller.destroy());
    passed.on('close', () => caller.destroy());
    caller.on('close', () => passed.destroy());
    passed.pipe(caller);
    caller.pipe(passed);
  });
}
