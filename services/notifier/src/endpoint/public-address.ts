import ipaddr from 'ipaddr.js';
import { publicHosts } from '@billing/kernel/public-host';

export type { AddressPolicy } from '@billing/kernel/public-host';

/** Rules of the hosts that webhooks are sent to. */
export const { isAllowedAddress, isAllowedHost, addressLiteral } = publicHosts(ipaddr);
