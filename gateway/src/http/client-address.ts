import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';

// One subscriber usually holds a whole IPv6 /64: eight of the sixteen bytes.
const networkBytes = 8;
const userAgentLengthMax = 500;

/** Origin of a request, for limits and for display. */
export function originOfRequest(request: Pick<Request, 'ip' | 'header'>): Origin {
  const userAgent = (request.header('user-agent') ?? '').slice(0, userAgentLengthMax);
  return { network: networkOf(request.ip), address: addressOf(request.ip), userAgent };
}

function addressOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  return ipaddr.process(address).toString();
}

/** Network of an address, which limits count as one caller: an IPv4 address or an IPv6 /64. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, networkBytes)).toString('hex');
}
