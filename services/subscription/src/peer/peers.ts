import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
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
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import type { SubscriptionConfiguration } from '../config';
import { MeterPriceClient } from './meter-prices';

/** The services that this one calls. */
export interface Peers {
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
  readonly discount: Peer<DiscountServiceServer>;
  readonly metering: Peer<MeteringServiceServer>;
  /** Served by the catalog. */
  readonly meterPrices: MeterPriceClient;
}

export function connectPeers(service: Service, config: SubscriptionConfiguration): Peers {
  const catalog = service.peer<CatalogServiceServer>(CatalogServiceService, {
    address: config.CATALOG_ADDRESS,
  });
  return {
    catalog,
    meterPrices: new MeterPriceClient(catalog),
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: config.CUSTOMER_ADDRESS,
    }),
    checkout: service.peer<CheckoutServiceServer>(CheckoutServiceService, {
      address: config.CHECKOUT_ADDRESS,
    }),
    discount: service.peer<DiscountServiceServer>(DiscountServiceService, {
      address: config.DISCOUNT_ADDRESS,
    }),
    metering: service.peer<MeteringServiceServer>(MeteringServiceService, {
      address: config.METERING_ADDRESS,
    }),
  };
}
