import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type ObligationServiceServer,
  ObligationServiceService,
} from '@billing/proto/billing/checkout/v1/obligation';
import {
  type ErasureServiceServer,
  ErasureServiceService,
} from '@billing/proto/billing/erasure/v1/erasure';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { CustomerConfiguration } from './config';
import type { ErasingService, Obligations } from './erasure';

/** Clients of the services that this one calls. */
export interface Peers {
  readonly obligations: Peer<ObligationServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
  readonly erasure: Readonly<Record<ErasingService, Peer<ErasureServiceServer>>>;
}

export function connectPeers(service: Service, config: CustomerConfiguration): Peers {
  const { CHECKOUT_ADDRESS: checkout, SUBSCRIPTION_ADDRESS: subscription } = config;
  const erasureAt = (address: string) =>
    service.peer<ErasureServiceServer>(ErasureServiceService, { address });
  return {
    obligations: service.peer<ObligationServiceServer>(ObligationServiceService, {
      address: checkout,
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: subscription,
    }),
    erasure: {
      subscription: erasureAt(subscription),
      checkout: erasureAt(checkout),
      metering: erasureAt(config.METERING_ADDRESS),
      notifier: erasureAt(config.NOTIFIER_ADDRESS),
      identity: erasureAt(config.IDENTITY_ADDRESS),
    },
  };
}

const running = [
  SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
  SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE,
];

/** Reads the unfinished business between the organization and a customer. */
export async function fetchObligations(
  { obligations, subscription }: Pick<Peers, 'obligations' | 'subscription'>,
  customerId: string,
  context: CallContext,
): Promise<Obligations> {
  const wanted = { customerId, page: 1, perPage: 1 };
  const [atCheckout, ...lists] = await Promise.all([
    obligations.getObligations({ customerId }, context),
    ...running.map((status) => subscription.listSubscriptions({ ...wanted, status }, context)),
  ]);
  return { ...atCheckout, hasActiveSubscription: lists.some(({ total }) => total > 0) };
}
