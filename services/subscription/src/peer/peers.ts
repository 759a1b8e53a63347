import { BatchedLookup } from '@billing/chassis/batch-client';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type Product,
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
import {
  type SearchServiceServer,
  SearchServiceService,
} from '@billing/proto/billing/search/v1/search';
import { CustomerClient } from './customer';
import { MeterPriceClient } from './meter-prices';
import { QuoteClient } from './checkout';

/** The services that this one calls. */
export interface Peers {
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
  /** Served by checkout. */
  readonly quotes: QuoteClient;
  readonly discount: Peer<DiscountServiceServer>;
  readonly metering: Peer<MeteringServiceServer>;
  /** Served by the catalog. */
  readonly meterPrices: MeterPriceClient;
  /** Products in their present state; concurrent reads share one call. */
  readonly products: BatchedLookup<Product>;
  readonly customers: CustomerClient;
  /** Finds customers and products by a text. */
  readonly search: Readonly<Record<'customers' | 'products', Peer<SearchServiceServer>>>;
}

type Addresses = Readonly<
  Record<
    | 'CATALOG_ADDRESS'
    | 'CUSTOMER_ADDRESS'
    | 'CHECKOUT_ADDRESS'
    | 'DISCOUNT_ADDRESS'
    | 'METERING_ADDRESS',
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
  const checkout = service.peer<CheckoutServiceServer>(CheckoutServiceService, {
    address: config.CHECKOUT_ADDRESS,
  });
  return {
    catalog,
    meterPrices: new MeterPriceClient(catalog),
    products: new BatchedLookup(
      async (ids, context) => (await catalog.getProducts({ ids }, context)).products,
    ),
    customer,
    customers: new CustomerClient(customer),
    search: {
      customers: service.peer<SearchServiceServer>(SearchServiceService, {
        address: config.CUSTOMER_ADDRESS,
      }),
      products: service.peer<SearchServiceServer>(SearchServiceService, {
        address: config.CATALOG_ADDRESS,
      }),
    },
    checkout,
    quotes: new QuoteClient(checkout),
    discount: service.peer<DiscountServiceServer>(DiscountServiceService, {
      address: config.DISCOUNT_ADDRESS,
    }),
    metering: service.peer<MeteringServiceServer>(MeteringServiceService, {
      address: config.METERING_ADDRESS,
    }),
  };
}
