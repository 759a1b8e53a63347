/** Addresses allowed for a host in addition to public ones. */
export interface AddressPolicy {
  /** For sandboxes on a developer's machine. */
  readonly allowLoopback: boolean;
}

/** Parser of IP addresses that names the special-purpose range of each; `ipaddr.js` is one. */
export interface AddressParser {
  readonly isValid: (text: string) => boolean;
  readonly parse: (text: string) => {
    readonly kind: () => 'ipv4' | 'ipv6';
    /** `unicast` for an address outside of all special-purpose ranges. */
    readonly range: () => string;
    readonly toByteArray: () => readonly number[];
    readonly toString: () => string;
  };
}

/** Rules of the hosts that the servers may send requests to. */
export interface PublicHosts {
  /**
   * True if requests may be sent to an IP address. Addresses that wrap another one (v4-mapped,
   * NAT64, 6to4, Teredo) are refused, because a translator on the way would reach the inner one,
   * loopback and private networks included.
   */
  readonly isAllowedAddress: (address: string, policy: AddressPolicy) => boolean;
  /**
   * True if a URL's host may be stored; looks up no name. Names other than `localhost` pass: their
   * addresses are checked at each connection. `hostname` comes from a parsed URL, so that every
   * spelling of an IPv4 address is dotted decimal.
   */
  readonly isAllowedHost: (hostname: string, policy: AddressPolicy) => boolean;
  /** The IP address in a URL's host, without the brackets of IPv6; undefined for a name. */
  readonly addressLiteral: (hostname: string) => string | undefined;
}

// Azure's host agent answers every virtual machine at this address, which looks public.
const hostAgents: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Rules of public hosts by the ranges of a parser. The parser is a parameter, because the list of
 * ranges comes from a package and the kernel has no dependencies.
 */
export function publicHosts({ isValid, parse }: AddressParser): PublicHosts {
  const isAllowedAddress: PublicHosts['isAllowedAddress'] = (address, { allowLoopback }) => {
    if (!isValid(address)) return false;
    const parsed = parse(address);
    const range = parsed.range();
    if (range === 'loopback') return allowLoopback;
    if (range !== 'unicast' || hostAgents.has(parsed.toString())) return false;
    return parsed.kind() === 'ipv4' || isGlobalUnicast(parsed.toByteArray());
  };
  const addressLiteral: PublicHosts['addressLiteral'] = (hostname) => {
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    return isValid(address) ? address : undefined;
  };
  const isAllowedHost: PublicHosts['isAllowedHost'] = (hostname, policy) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    if (/(^|\.)(localhost|localdomain)$/.test(name)) return policy.allowLoopback;
    const literal = addressLiteral(name);
    return literal === undefined ? name !== '' : isAllowedAddress(literal, policy);
  };
  return { isAllowedAddress, isAllowedHost, addressLiteral };
}

// 2000::/3 is the only range assigned for public use; the special ranges within it are refused by
// name.
function isGlobalUnicast([first = 0]: readonly number[]): boolean {
  return first >> 5 === 1;
}
