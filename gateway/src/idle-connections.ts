import type { Socket } from 'node:net';
import { networkOf } from './admission';

/** What is needed of a connection to bound it. */
type Connection = Pick<Socket, 'remoteAddress' | 'destroy'>;

/** How many connections may wait for a request. */
export interface IdleConnectionsOptions {
  /** Of one network; see networkOf. */
  readonly maxPerNetwork: number;
  /** Whether an address is a proxy's, which connects for many callers: its connections are not counted. */
  readonly isProxy: (address: string) => boolean;
}

/**
 * The connections on which no request runs, by network. One caller cannot keep all connections of a process: beyond its bound the one of
 * its network that has waited longest is closed, so that new callers behind the same address still get in.
 */
export class IdleConnections {
  private readonly byNetwork = new Map<string, Set<Connection>>();

  constructor(private readonly options: IdleConnectionsOptions) {}

  /** A connection waits for its next request, or for its first. */
  add(connection: Connection): void {
    const { remoteAddress } = connection;
    if (remoteAddress === undefined || this.options.isProxy(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const waiting = this.byNetwork.get(network) ?? new Set();
    this.byNetwork.set(network, waiting.add(connection));
    if (waiting.size <= this.options.maxPerNetwork) return;
    const [longest] = waiting;
    if (longest === undefined) return;
    waiting.delete(longest);
    longest.destroy();
  }

  /** A connection has a request, or is closed; `address` is where it came from, which a closed one no longer tells. */
  remove(connection: Connection, address: string | undefined): void {
    const network = networkOf(address);
    const waiting = this.byNetwork.get(network);
    waiting?.delete(connection);
    if (waiting?.size === 0) this.byNetwork.delete(network);
  }
}
