import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

/** Clients of the services that this one calls. */
export interface Peers {
  readonly customer: Peer<CustomerServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
}

type Addresses = Readonly<Record<'CUSTOMER_ADDRESS' | 'SUBSCRIPTION_ADDRESS', string>>;

export function connectPeers(service: Service, config: Addresses): Peers {
  return {
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: config.CUSTOMER_ADDRESS,
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: config.SUBSCRIPTION_ADDRESS,
    }),
  };
}
