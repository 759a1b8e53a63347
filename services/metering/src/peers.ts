import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { DomainError } from '@billing/kernel/domain-error';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import type { MeteringConfiguration } from './config';
import type { CustomerName } from './customer-directory';
import type { Span } from './usage-hour';

/** The services that this one calls. */
export interface Peers {
  readonly customer: Peer<CustomerServiceServer>;
}

export function connectPeers(service: Service, config: MeteringConfiguration): Peers {
  return {
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: config.CUSTOMER_ADDRESS,
      notIdempotent: ['createCustomer'],
    }),
  };
}

/** The id of a customer; undefined for one that its owner does not know. */
export async function findCustomer(
  { customer: customers }: Pick<Peers, 'customer'>,
  { kind, value }: CustomerName,
  context: CallContext,
): Promise<string | undefined> {
  if (kind === 'externalId') {
    const request = { page: 1, perPage: 1, externalId: value };
    const answer = await customers.listCustomers(request, context);
    return answer.customers[0]?.id;
  }
  if (!isId(value)) return undefined;
  try {
    const { customer } = await customers.getCustomer({ id: value }, context);
    return customer?.id;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** The period of a subscription that runs now. */
export interface RunningPeriod {
  readonly subscriptionId: string;
  readonly span: Span;
  /** Usage is free. */
  readonly isTrial: boolean;
  /** Whether the customer may use the product. */
  readonly entitled: boolean;
  readonly currency: string;
  /** By which usage of the period is billed, by meter. */
  readonly prices: ReadonlyMap<string, UsagePrice>;
}

/**
 * The running periods of a customer's subscriptions, the earliest created first: where two price one meter, the first takes its usage.
 * A customer without any has none, and their usage counts by calendar months.
 */
export async function runningPeriods(
  _peers: Peers,
  _customerId: string,
  _context: CallContext,
): Promise<RunningPeriod[]> {
  return [];
}
