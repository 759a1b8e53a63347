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
