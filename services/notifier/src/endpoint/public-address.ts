import ipaddr from 'ipaddr.js';

/** Addresses allowed for an endpoint in addition to public ones. */
export interface AddressPolicy {
  /** For sandboxes on a developer's machine. */
  readonly allowLoopback: boolean;
}

// 2000::/3 is the only range assigned for public use; the special ranges within it are refused by
// name.
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
// Azure's host agent answers every virtual machine at this address, which looks public.
const hostAgents: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * True if webhooks may be sent to an IP address. Addresses that wrap another one (v4-mapped, NAT64,
 * 6to4, Teredo) are refused, because a translator on the way would reach the inner one, loopback
 * and private networks included.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast' || hostAgents.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/**
 * True if a URL's host may be registered; looks up no name. Names other than `localhost` pass:
 * their addresses are checked at each connection. `hostname` comes from a parsed URL, so that every
 * spelling of an IPv4 address is dotted decimal.
 */
export function isAllowedHost(hostname: string, policy: AddressPolicy): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  if (/(^|\.)(localhost|localdomain)$/.test(name)) return policy.allowLoopback;
  const literal = addressLiteral(name);
  return literal === undefined ? name !== '' : isAllowedAddress(literal, policy);
}

/** The IP address in a URL's host, without the brackets of IPv6; undefined for a name. */
export function addressLiteral(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(address) ? address : undefined;
}
