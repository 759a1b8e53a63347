import { Resolver } from 'node:dns/promises';
import { isIPv4, type LookupFunction } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { addressLiteral, type AddressPolicy, isAllowedAddress } from './public-address';

/** All addresses of a name; rejects if there are none. */
export type ResolveAddresses = (hostname: string) => Promise<string[]>;

/** The endpoint's host is, or resolves to, an address that nothing is sent to. */
class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';

  constructor() {
    super('The address is not public');
  }
}

const resolveTimeoutMs = 3_000;
const resolveTries = 2;

/** Which connections: an endpoint's, to the origin of its URL. */
export interface PoolKey {
  readonly endpointId: string;
  readonly origin: string;
  readonly policy: AddressPolicy;
}

/** How pools behave. */
export interface ConnectionPoolsOptions {
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  readonly resolve: ResolveAddresses;
}

const poolsMax = 1_000;
const keepAliveMs = 30_000;

/**
 * Connections that are kept open. Each endpoint has connections of its own, also where several share a host: one that hangs must not
 * hold up another.
 */
export class ConnectionPools {
  /** The one used last stands at the end. */
  private readonly pools = new Map<string, Pool>();

  constructor(private readonly options: ConnectionPoolsOptions) {}

  poolOf(key: PoolKey): Pool {
    const name = `${key.endpointId} ${key.origin}`;
    const pool = this.pools.get(name) ?? this.open(key);
    this.pools.delete(name);
    this.pools.set(name, pool);
    this.closeOldest();
    return pool;
  }

  /** Ends all connections; nothing is being sent any more. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private open({ origin, policy }: PoolKey): Pool {
    const { connectionsMax } = this.options;
    return new Pool(origin, {
      connections: connectionsMax,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // Whoever asks ends the whole of it in time; these would race with that, and call it by other names.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: verifiedConnector(policy, this.options),
    });
  }

  private closeOldest(): void {
    const [oldest] = this.pools;
    if (this.pools.size <= poolsMax || oldest === undefined) return;
    const [name, pool] = oldest;
    this.pools.delete(name);
    // Waits for what it is sending; how it closes concerns nobody.
    void pool.close().catch(() => undefined);
  }
}

/**
 * Connects to verified addresses alone. Each address that a name resolves to is checked, in the same lookup whose answer is connected to,
 * so that a name that changes between a check and its use gains nothing; and so is the address that the socket reports.
 */
function verifiedConnector(
  policy: AddressPolicy,
  { timeoutMs, resolve }: { timeoutMs: number; resolve: ResolveAddresses },
): buildConnector.connector {
  const lookup = verifiedLookup(policy, resolve);
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    // Sockets look no literal up.
    const literal = addressLiteral(options.hostname);
    if (literal !== undefined && !isAllowedAddress(literal, policy)) {
      queueMicrotask(() => {
        callback(new AddressRefusedError(), null);
      });
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      if (!isAllowedAddress(socket.remoteAddress ?? '', policy)) {
        socket.destroy();
        callback(new AddressRefusedError(), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/**
 * Asks name servers over sockets of this process: the given ones, `address:port`, or those of the system. The operating system's own lookup
 * runs on four threads, on which the slow name servers of a few endpoints would delay everybody's.
 */
export function createResolver(nameServers: readonly string[] = []): ResolveAddresses {
  const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: resolveTries });
  if (nameServers.length > 0) resolver.setServers(nameServers);
  return async (hostname) => {
    // By RFC 6761 this name is never asked for.
    if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason as Error;
    return addresses;
  };
}

function verifiedLookup(policy: AddressPolicy, resolve: ResolveAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every((one) => isAllowedAddress(one, policy))) {
          callback(new AddressRefusedError(), []);
        } else if (options.all === true) {
          callback(
            null,
            addresses.map((address) => ({ address, family: familyOf(address) })),
          );
        } else {
          callback(null, first, familyOf(first));
        }
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, []);
      },
    );
  };
}

function familyOf(address: string): 4 | 6 {
  return isIPv4(address) ? 4 : 6;
}
