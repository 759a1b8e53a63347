import type { ConnectionOptions } from 'nats';

/** Addresses of NATS servers with credentials. */
export type NatsAddress = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token'>;

const addressPattern = /^((?:[a-z]+:\/\/)?)(?:([^@/]+)@)?(.+)$/;

/**
 * Parses addresses separated by commas, `nats://host:port`. The first may contain `user:password@`
 * or `token@`, percent-encoded, which the client library expects separately.
 */
export function natsAddress(url: string): NatsAddress {
  const parts = url.split(',').map((address) => addressPattern.exec(address.trim()));
  const servers = parts.map((part) => (part === null ? '' : `${part[1] ?? ''}${part[3] ?? ''}`));
  const credentials = parts[0]?.[2];
  if (credentials === undefined) return { servers };
  const [first = '', password] = credentials.split(':').map(decodeURIComponent);
  return password === undefined
    ? { servers, token: first }
    : { servers, user: first, pass: password };
}
