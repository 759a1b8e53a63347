import { Resolver } from 'node:dns/promises';
import { isIPv4, type LookupFunction } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { addressLiteral, type AddressPolicy, isAllowedAddress } from '../endpoint/public-address';
import { openTunnel } from './proxy-tunnel';

/** Resolves all addresses of a name; rejects if there are none. */
export type ResolveAddresses = (hostname: string) => Promise<string[]>;

/** The endpoint's host is, or resolves to, a refused address. */
class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';

  constructor() {
    super('The address is not public');
  }
}

const resolveTimeoutMs = 3_000;
const resolveTries = 2;

/** Identifies a pool: an endpoint and the origin of its URL. */
export interface PoolKey {
  readonly endpointId: string;
  readonly origin: string;
  readonly policy: AddressPolicy;
}

export interface ConnectionPoolsOptions {
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  readonly resolve: ResolveAddresses;
  /** HTTP proxy that all connections go through; absent: none. */
  readonly proxy?: URL | undefined;
}

const poolsMax = 1_000;
const keepAliveMs = 30_000;

/**
 * Keep-alive connections. Each endpoint has its own pool, even where several share a host: a
 * hanging endpoint must not block another.
 */
export class ConnectionPools {
  /** LRU order: most recently used last. */
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

  /** Ends all connections. Call it when no request is in flight. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private open({ origin, policy }: PoolKey): Pool {
    const { connectionsMax, proxy } = this.options;
    return new Pool(origin, {
      connections: connectionsMax,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The caller's own timeout covers the whole request; these would race with it and report
      // other errors.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect:
        proxy === undefined
          ? verifiedConnector(policy, this.options)
          : tunnelConnector(policy, { ...this.options, proxy }),
    });
  }

  private closeOldest(): void {
    const [oldest] = this.pools;
    if (this.pools.size <= poolsMax || oldest === undefined) return;
    const [name, pool] = oldest;
    this.pools.delete(name);
    // Waits for requests in flight. An error of closing has no consequence.
    void pool.close().catch(() => undefined);
  }
}

/**
 * Connects to verified addresses only. Each address that a name resolves to is checked in the same
 * lookup whose answer is connected to, which defeats DNS rebinding; the address that the socket
 * reports is checked, too.
 */
function verifiedConnector(
  policy: AddressPolicy,
  { timeoutMs, resolve }: { timeoutMs: number; resolve: ResolveAddresses },
): buildConnector.connector {
  const lookup = verifiedLookup(policy, resolve);
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    // Sockets do not look up literals.
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

/** Connects through a proxy, to verified addresses only. */
function tunnelConnector(
  policy: AddressPolicy,
  { timeoutMs, resolve, proxy }: ConnectionPoolsOptions & { readonly proxy: URL },
): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    const { hostname, protocol } = options;
    const isSecure = protocol === 'https:';
    const port = options.port === '' ? (isSecure ? 443 : 80) : Number(options.port);
    verifiedAddress(hostname, policy, resolve)
      .then((address) => openTunnel({ proxy, address, port, timeoutMs }))
      .then(
        (httpSocket) => {
          if (isSecure) secure({ ...options, httpSocket }, callback);
          else callback(null, httpSocket);
        },
        (error: unknown) => {
          callback(error as Error, null);
        },
      );
  };
}

/** One address of a host; rejects if any of them is refused. */
async function verifiedAddress(
  hostname: string,
  policy: AddressPolicy,
  resolve: ResolveAddresses,
): Promise<string> {
  const literal = addressLiteral(hostname);
  const addresses = literal === undefined ? await resolve(hostname) : [literal];
  const [first] = addresses;
  if (first === undefined || !addresses.every((one) => isAllowedAddress(one, policy))) {
    throw new AddressRefusedError();
  }
  return first;
}

/**
 * Queries name servers over sockets of this process: the given ones (`address:port`), or those of
 * the system. The lookup of the operating system runs on four threads, which the slow name servers
 * of a few endpoints would occupy for all endpoints.
 */
export function createResolver(nameServers: readonly string[] = []): ResolveAddresses {
  const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: resolveTries });
  if (nameServers.length > 0) resolver.setServers(nameServers);
  return async (hostname) => {
    // RFC 6761: this name is never sent to a name server.
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
