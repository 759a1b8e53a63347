import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { DomainError } from '@billing/kernel/domain-error';
import type { Tier } from '@billing/kernel/tiers';
import type { UsagePrice, UsagePricingType } from '@billing/kernel/usage-pricing';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import { type MeterPrice, MeterPricingType } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  type UsagePeriod,
} from '@billing/proto/billing/subscription/v1/subscription';
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
      notIdempotent: ['createCustomer'],
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: config.SUBSCRIPTION_ADDRESS,
      notIdempotent: ['createSubscription'],
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

const pricingTypes: Readonly<Record<UsagePricingType, MeterPricingType>> = {
  PER_UNIT: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
  TIERED: MeterPricingType.METER_PRICING_TYPE_TIERED,
  VOLUME: MeterPricingType.METER_PRICING_TYPE_VOLUME,
  PACKAGE: MeterPricingType.METER_PRICING_TYPE_PACKAGE,
};

function fromProtoMeterPrice(price: MeterPrice): UsagePrice {
  const names = Object.keys(pricingTypes) as UsagePricingType[];
  const type = names.find((name) => pricingTypes[name] === price.type);
  if (type === undefined) throw new Error(`No usage is priced by type ${String(price.type)}`);
  return {
    type,
    unitAmount: price.unitAmount ?? null,
    tiers: price.tiers.length === 0 ? null : price.tiers.map(fromProtoTier),
    includedUnits: price.includedUnits ?? '0',
    packageSize: price.packageSize ?? null,
    minimumAmount: price.minimumAmount ?? null,
    maximumAmount: price.maximumAmount ?? null,
  };
}

function fromProtoTier({ upTo, unitAmount, flatAmount }: MeterPrice['tiers'][number]): Tier {
  return { upTo: upTo ?? null, unitAmount, flatAmount: flatAmount ?? '0' };
}
