import { BatchedLookup } from '@billing/chassis/batch-client';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type Customer,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type DiscountServiceServer,
  DiscountServiceService,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

/** Clients of the services that checkout calls. */
export interface Peers {
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly discount: Peer<DiscountServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
  /** Product lookups of concurrent purchases, in one call. */
  readonly products: BatchedLookup<Product>;
  readonly customers: BatchedLookup<Customer>;
}

type Addresses = Readonly<
  Record<
    'CATALOG_ADDRESS' | 'CUSTOMER_ADDRESS' | 'DISCOUNT_ADDRESS' | 'SUBSCRIPTION_ADDRESS',
    string
  >
>;

export function connectPeers(service: Service, config: Addresses): Peers {
  const catalog = service.peer<CatalogServiceServer>(CatalogServiceService, {
    address: config.CATALOG_ADDRESS,
  });
  const customer = service.peer<CustomerServiceServer>(CustomerServiceService, {
    address: config.CUSTOMER_ADDRESS,
  });
  return {
    catalog,
    customer,
    discount: service.peer<DiscountServiceServer>(DiscountServiceService, {
      address: config.DISCOUNT_ADDRESS,
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: config.SUBSCRIPTION_ADDRESS,
    }),
    products: new BatchedLookup(
      async (ids, context) => (await catalog.getProducts({ ids }, context)).products,
    ),
    customers: new BatchedLookup(
      async (ids, context) => (await customer.getCustomers({ ids }, context)).customers,
    ),
  };
}
