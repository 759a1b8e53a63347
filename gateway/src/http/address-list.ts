import ipaddr from 'ipaddr.js';

// Express names of address ranges, by their names in the address library.
const namedRanges: Readonly<Record<string, string>> = {
  loopback: 'loopback',
  linklocal: 'linkLocal',
  uniquelocal: 'uniqueLocal',
};

/** True for an address, a CIDR range or the name of a range. */
export function isAddressOrRange(text: string): boolean {
  return Object.hasOwn(namedRanges, text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

/** True if an address is in one of the ranges. An IPv4-mapped IPv6 address counts as IPv4. */
export function isAddressIn(address: string | undefined, ranges: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => isWithin(parsed, range));
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean {
  const named = Object.hasOwn(namedRanges, range) ? namedRanges[range] : undefined;
  if (named !== undefined) return address.range() === named;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const [base, prefix] = ipaddr.isValidCIDR(range)
    ? ipaddr.parseCIDR(range)
    : ([ipaddr.process(range), bits] as const);
  return base.kind() === address.kind() && address.match(base, prefix);
}
