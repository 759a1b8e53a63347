import type { Socket } from 'node:net';
import { networkOf } from './admission';

// A caller that was just answered may send its next request at any moment, and would lose it with
// the connection.
const reuseMs = 5_000;

/** What is needed of a connection to bound it. */
type Connection = Pick<Socket, 'remoteAddress' | 'destroy'>;

/** How many connections may wait for a request. */
export interface IdleConnectionsOptions {
  /** Of one network (see networkOf), of those never used and of those answered before, each. */
  readonly maxPerNetwork: number;
  /**
   * Whether an address is a proxy's, which connects for many callers: its connections are not
   * counted.
   */
  readonly isProxy: (address: string) => boolean;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/** The connections of one network. In each set the one that has waited longest comes first. */
interface NetworkConnections {
  open: number;
  readonly unused: Set<Connection>;
  /** Those that were answered before, and since when they wait. */
  readonly answered: Map<Connection, number>;
}

/**
 * The connections on which no request runs, by network. One caller cannot keep all connections of a
 * process, and new callers behind the same address still get in: beyond the bound the oldest
 * connection that was never used is closed, each answer asks its caller to connect again, and one
 * that has waited since its last answer is closed once its caller is not about to use it.
 */
export class IdleConnections {
  private readonly byNetwork = new Map<string, NetworkConnections>();

  constructor(private readonly options: IdleConnectionsOptions) {}

  /** A connection was made: it waits for its first request. */
  open(connection: Connection): void {
    const key = this.keyOf(connection);
    if (key === undefined) return;
    const network = this.byNetwork.get(key) ?? { open: 0, unused: new Set(), answered: new Map() };
    this.byNetwork.set(key, network);
    network.open++;
    network.unused.add(connection);
    this.boundUnused(network);
  }

  /** A connection has a request. The answer is whether the caller should connect again after it. */
  use(connection: Connection): boolean {
    const network = this.of(connection);
    if (network === undefined) return false;
    forget(network, connection);
    return network.open > this.options.maxPerNetwork;
  }

  /** A connection was answered and waits for its next request. */
  answered(connection: Connection): void {
    const network = this.of(connection);
    if (network === undefined) return;
    network.answered.set(connection, this.options.now());
    this.boundAnswered(network);
  }

  /**
   * A connection is closed; `address` is where it came from, which a closed one no longer tells.
   */
  close(connection: Connection, address: string | undefined): void {
    const key = this.keyOf({ remoteAddress: address });
    const network = key === undefined ? undefined : this.byNetwork.get(key);
    if (key === undefined || network === undefined) return;
    forget(network, connection);
    network.open--;
    if (network.open === 0) this.byNetwork.delete(key);
  }

  private boundUnused({ unused }: NetworkConnections): void {
    if (unused.size <= this.options.maxPerNetwork) return;
    const [longest] = unused;
    if (longest === undefined) return;
    unused.delete(longest);
    longest.destroy();
  }

  private boundAnswered({ answered }: NetworkConnections): void {
    if (answered.size <= this.options.maxPerNetwork) return;
    const [longest] = answered;
    if (longest === undefined) return;
    const [connection, since] = longest;
    if (this.options.now() - since < reuseMs) return;
    answered.delete(connection);
    connection.destroy();
  }

  private of(connection: Connection): NetworkConnections | undefined {
    const key = this.keyOf(connection);
    return key === undefined ? undefined : this.byNetwork.get(key);
  }

  private keyOf({ remoteAddress }: Pick<Connection, 'remoteAddress'>): string | undefined {
    const isCounted = remoteAddress !== undefined && !this.options.isProxy(remoteAddress);
    return isCounted ? networkOf(remoteAddress) : undefined;
  }
}

function forget({ unused, answered }: NetworkConnections, connection: Connection): void {
  unused.delete(connection);
  answered.delete(connection);
}
