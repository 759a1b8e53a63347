import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { exitStatuses, StartRefusal } from './start-refusal';

/** Splits `host:port`. The host of an IPv6 address may be in brackets. */
export function hostAndPort(address: string): { host: string; port: number } {
  const separator = address.lastIndexOf(':');
  return {
    host: address.slice(0, separator).replace(/^\[(.*)\]$/, '$1'),
    port: Number(address.slice(separator + 1)),
  };
}

/** Replaces the port of an address with the one that the system assigned. */
export function withPort(address: string, port: number): string {
  return address.replace(/:\d+$/, `:${String(port)}`);
}

/** Explains why a server cannot listen on an address. */
export function listenRefusal(address: string, cause: unknown): Error {
  const isInUse = (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  if (!isInUse) return new Error(`Cannot listen on ${address}`, { cause });
  return new StartRefusal(
    exitStatuses.busy,
    `Cannot listen on ${address}: address already in use`,
    { cause },
  );
}

// Below the ports of outgoing connections, which may take one before its server binds it.
const freePortFirst = 20_000;
const freePortEnd = 32_000;

/** Ports that this process was given: the server of one may not have bound it yet. */
const given = new Set<number>();

/**
 * Returns a port that is free now, each at most once. A server that binds it keeps it from then on,
 * also across its restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(freePortFirst, freePortEnd);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen({ host: '127.0.0.1', port }, () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}
