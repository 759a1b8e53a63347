/** Takes `host:port` apart; the host of an IPv6 address may stand in brackets. */
export function hostAndPort(address: string): { host: string; port: number } {
  const separator = address.lastIndexOf(':');
  return {
    host: address.slice(0, separator).replace(/^\[(.*)\]$/, '$1'),
    port: Number(address.slice(separator + 1)),
  };
}

/** The address with the port that the system gave where it names none. */
export function withPort(address: string, port: number): string {
  return address.replace(/:\d+$/, `:${String(port)}`);
}
