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
  id: string,
  context: CallContext,
): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const found = await unlessNotFound(customers.getCustomer({ id }, context));
  return found?.customer?.id;
}

/** The ids of those customers that their owner knows, by the keys of their names, asked for in one call. */
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

/** The periods of a customer's subscriptions, to which their usage belongs. */
export interface CustomerPeriods {
  /** Those that run, of the earliest created subscription first: where two price one meter, the first takes its usage. */
  readonly running: readonly SubscriptionPeriod[];
  /** Of late, running ones too; of the earliest created subscription first, then the oldest. */
  readonly lived: readonly SubscriptionPeriod[];
}

/** Past periods are told from `since` on at the latest. A customer without any subscription has none: their usage counts by calendar months. */
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
