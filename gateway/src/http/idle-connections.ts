import type { Socket } from 'node:net';
import { networkOf } from './client-address';

// A caller may send its next request right after a response and would lose it with the connection.
const reuseMs = 5_000;

/** The part of a connection that the limit needs. */
type Connection = Pick<Socket, 'remoteAddress' | 'destroy'>;

/** Options of the limit. */
export interface IdleConnectionsOptions {
  /** Maximum per network (see networkOf), separately for unused and for reusable connections. */
  readonly maxPerNetwork: number;
  /** True for the address of a proxy, which connects for many callers and is not limited. */
  readonly isProxy: (address: string) => boolean;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

/** Idle connections of one network, longest idle first. */
interface NetworkConnections {
  open: number;
  readonly unused: Set<Connection>;
  /** Reusable connections with the start of their idle time. */
  readonly answered: Map<Connection, number>;
}

/**
 * Limits idle connections per network, so that one caller cannot take all connections of a process
 * and new callers behind the same address are still served. Beyond the limit, the oldest unused
 * connection is closed, responses ask their callers to reconnect, and reusable connections are
 * closed after a short idle time.
 */
export class IdleConnections {
  private readonly byNetwork = new Map<string, NetworkConnections>();

  constructor(private readonly options: IdleConnectionsOptions) {}

  /** Registers a new connection, which waits for its first request. */
  open(connection: Connection): void {
    const key = this.keyOf(connection);
    if (key === undefined) return;
    const network = this.byNetwork.get(key) ?? { open: 0, unused: new Set(), answered: new Map() };
    this.byNetwork.set(key, network);
    network.open++;
    network.unused.add(connection);
    this.boundUnused(network);
  }

  /** Registers a request of a connection. Returns true if the caller should reconnect after it. */
  use(connection: Connection): boolean {
    const network = this.of(connection);
    if (network === undefined) return false;
    forget(network, connection);
    return network.open > this.options.maxPerNetwork;
  }

  /** Registers the end of a response; the connection waits for its next request. */
  answered(connection: Connection): void {
    const network = this.of(connection);
    if (network === undefined) return;
    network.answered.set(connection, this.options.now());
    this.boundAnswered(network);
  }

  /**
   * Registers the end of a connection. `address` is its remote address, which a closed socket no
   * longer returns.
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
