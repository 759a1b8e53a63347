import { connectPeer, type Peer } from '@billing/chassis/peer';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import {
  type CatalogServiceServer,
  CatalogServiceService,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type DiscountServiceServer,
  DiscountServiceService,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type NotifierServiceServer,
  NotifierServiceService,
} from '@billing/proto/billing/notifier/v1/notifier';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { GatewayConfiguration } from './config';

/** The services behind the gateway. */
export interface Peers {
  readonly identity: Peer<IdentityServiceServer>;
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly discount: Peer<DiscountServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
  readonly notifier: Peer<NotifierServiceServer>;
}

/** Connects to all services. Creations with a new id are never repeated by the channel: a lost answer would make two of them. */
export function connectPeers(config: GatewayConfiguration): Peers {
  const caller = { service: 'gateway', security: transportSecurityOf(config) };
  return {
    identity: connectPeer<IdentityServiceServer>(IdentityServiceService, {
      ...caller,
      address: config.IDENTITY_ADDRESS,
      notIdempotent: ['createApiKey', 'createSandbox'],
      withoutTenant: ['authenticate', 'ensureOrganization'],
    }),
    catalog: connectPeer<CatalogServiceServer>(CatalogServiceService, {
      ...caller,
      address: config.CATALOG_ADDRESS,
      notIdempotent: ['createProduct'],
    }),
    customer: connectPeer<CustomerServiceServer>(CustomerServiceService, {
      ...caller,
      address: config.CUSTOMER_ADDRESS,
      notIdempotent: ['createCustomer'],
    }),
    checkout: connectPeer<CheckoutServiceServer>(CheckoutServiceService, {
      ...caller,
      address: config.CHECKOUT_ADDRESS,
    }),
    discount: connectPeer<DiscountServiceServer>(DiscountServiceService, {
      ...caller,
      address: config.DISCOUNT_ADDRESS,
      notIdempotent: ['createDiscount'],
    }),
    subscription: connectPeer<SubscriptionServiceServer>(SubscriptionServiceService, {
      ...caller,
      address: config.SUBSCRIPTION_ADDRESS,
      notIdempotent: ['createSubscription'],
    }),
    notifier: connectPeer<NotifierServiceServer>(NotifierServiceService, {
      ...caller,
      address: config.NOTIFIER_ADDRESS,
      notIdempotent: ['createWebhookEndpoint'],
    }),
  };
}
