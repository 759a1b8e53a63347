import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { unlessNotFound } from '@billing/kernel/domain-error';
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
import { type CustomerName, nameKey } from './customer-directory';
import type { SubscriptionPeriod } from './unsettled-usage';

/** Clients of the services that this one calls. */
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

/** Returns the id of a customer; undefined if unknown. */
export async function findCustomer(
  { customer: customers }: Pick<Peers, 'customer'>,
  id: string,
  context: CallContext,
): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const found = await unlessNotFound(customers.getCustomer({ id }, context));
  return found?.customer?.id;
}

/** Returns the ids of known customers, by name key, with one call. */
export async function findCustomers(
  { customer: customers }: Pick<Peers, 'customer'>,
  names: readonly CustomerName[],
  context: CallContext,
): Promise<Map<string, string>> {
  const ids = names.filter(({ kind, value }) => kind === 'id' && isId(value));
  const externalIds = names.filter(({ kind }) => kind === 'externalId');
  if (ids.length + externalIds.length === 0) return new Map();
  const known = await customers.identifyCustomers(
    { ids: ids.map(({ value }) => value), externalIds: externalIds.map(({ value }) => value) },
    context,
  );
  const byId = known.ids.map((id) => [nameKey({ kind: 'id', value: id }), id] as const);
  const byExternalId = known.externalCustomers.map(
    ({ externalId, id }) => [nameKey({ kind: 'externalId', value: externalId }), id] as const,
  );
  return new Map([...byId, ...byExternalId]);
}

/** Subscription periods of a customer; usage belongs to them. */
export interface CustomerPeriods {
  /**
   * Running periods, ordered by creation of the subscription: if two price the same meter, the
   * first claims its usage.
   */
  readonly running: readonly SubscriptionPeriod[];
  /** Recent and running periods, ordered by creation of the subscription, then by time. */
  readonly lived: readonly SubscriptionPeriod[];
}

/**
 * Returns past periods from at least `since` on. A customer without subscriptions has none; that
 * usage counts by calendar month.
 */
export async function customerPeriods(
  { subscription }: Pick<Peers, 'subscription'>,
  { customerId, since }: { readonly customerId: string; readonly since: Date | undefined },
  context: CallContext,
): Promise<CustomerPeriods> {
  const { periods, lived } = await subscription.listUsagePeriods({ customerId, since }, context);
  return { running: periods.map(fromProtoUsagePeriod), lived: lived.map(fromProtoUsagePeriod) };
}

function fromProtoUsagePeriod(period: UsagePeriod): SubscriptionPeriod {
  const { subscriptionId, periodIndex, start, end, entitled, currency, meterPrices } = period;
  if (start === undefined || end === undefined) throw new Error('A period has no bounds');
  const prices = meterPrices.map((price) => [price.meterId, fromProtoMeterPrice(price)] as const);
  return {
    subscriptionId,
    index: periodIndex ?? null,
    span: { start, end },
    entitled,
    currency,
    prices: new Map(prices),
  };
}
