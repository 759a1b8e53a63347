import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { CheckoutConfiguration } from './config';

/** The services that checkout calls. */
export interface Peers {
  readonly subscription: Peer<SubscriptionServiceServer>;
}

export function connectPeers(
  service: Service,
  { SUBSCRIPTION_ADDRESS: address }: CheckoutConfiguration,
): Peers {
  return {
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address,
      notIdempotent: ['createSubscription'],
    }),
  };
}
