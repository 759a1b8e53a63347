import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  type UsagePeriod,
} from '@billing/proto/billing/subscription/v1/subscription';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import type { MeteringConfiguration } from './config';
import type { CustomerName } from './customer-directory';
import type { Span } from './usage-hour';

/** The services that this one calls. */
export interface Peers {
  readonly customer: Peer<CustomerServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
}

export function connectPeers(service: Service, config: MeteringConfiguration): Peers {
  return {
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: config.CUSTOMER_ADDRESS,
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: config.SUBSCRIPTION_ADDRESS,
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
  const found = await unlessNotFound(customers.getCustomer({ id: value }, context));
  return found?.customer?.id;
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
  { subscription }: Pick<Peers, 'subscription'>,
  customerId: string,
  context: CallContext,
): Promise<RunningPeriod[]> {
  const { periods } = await subscription.listUsagePeriods({ customerId }, context);
  return periods.map(fromProtoUsagePeriod);
}

function fromProtoUsagePeriod(period: UsagePeriod): RunningPeriod {
  const { subscriptionId, start, end, trial, entitled, currency, meterPrices } = period;
  if (start === undefined || end === undefined) throw new Error('A period has no bounds');
  const prices = meterPrices.map((price) => [price.meterId, fromProtoMeterPrice(price)] as const);
  return {
    subscriptionId,
    span: { start, end },
    isTrial: trial,
    entitled,
    currency,
    prices: new Map(prices),
  };
}
