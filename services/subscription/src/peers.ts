import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { invalidInput, isNotFound } from '@billing/kernel/domain-error';
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
  RedemptionHolder,
} from '@billing/proto/billing/discount/v1/discount';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import type { SubscriptionConfiguration } from './config';
import type { CustomerFacts } from './customer';
import { fromProtoCustomer } from './customer-rpc';
import { fromProtoDiscount } from './discount-rpc';
import { MeterPriceClient } from './meter-price-client';
import { fromProtoPrice } from './price-rpc';
import type { ProductFacts } from './product';
import type { DiscountSnapshot } from './subscription';

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

/** Throws the customer service's error for an unknown id. */
export async function fetchCustomer(
  { customer: peer }: Peers,
  id: string,
  context: CallContext,
): Promise<CustomerFacts> {
  const { customer } = await peer.getCustomer({ id }, context);
  if (customer === undefined) throw new Error('An answer carries no customer');
  return fromProtoCustomer(customer);
}

/** Throws the catalog's error for an unknown id. */
export async function fetchProduct(
  { catalog }: Peers,
  id: string,
  context: CallContext,
): Promise<ProductFacts> {
  const { product } = await catalog.getProduct({ id }, context);
  if (product?.price === undefined) throw new Error('An answer carries no product with a price');
  const { name, active, price, meterPriceSet } = product;
  return { id: product.id, name, active, price: fromProtoPrice(price), meterPriceSet };
}

/** The currency in which a customer is billed; undefined before the first invoice has set it. */
export async function billedCurrency(
  { checkout }: Peers,
  customer: Pick<CustomerFacts, 'id' | 'currency' | 'isCurrencyFixed'>,
  context: CallContext,
): Promise<string | undefined> {
  if (customer.isCurrencyFixed) return customer.currency;
  // A customer stored before currencies were fixed has the currency that an invoice has set.
  const { currency } = await checkout.getBilledCurrency({ customerId: customer.id }, context);
  return currency;
}

/**
 * Fixes the customer's currency as that of their first invoice; returns the currency that is fixed.
 */
export async function fixCurrency(
  { customer: peer }: Pick<Peers, 'customer'>,
  wanted: { readonly id: string; readonly currency: string },
  context: CallContext,
): Promise<CustomerFacts> {
  const { customer } = await peer.fixCurrency(wanted, context);
  if (customer === undefined) throw new Error('An answer carries no customer');
  return fromProtoCustomer(customer);
}

/**
 * Reserves one redemption for a subscription about to be created, or finds its existing one;
 * refuses a discount that cannot be redeemed.
 */
export async function reserveRedemption(
  { discount: peer }: Peers,
  {
    subscriptionId: holderId,
    ...wanted
  }: {
    readonly subscriptionId: string;
    readonly discountId: string;
    readonly productId: string;
    readonly currency: string;
  },
  context: CallContext,
): Promise<DiscountSnapshot> {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION;
  try {
    const { discount } = await peer.reserveRedemption({ ...wanted, holder, holderId }, context);
    if (discount === undefined) throw new Error('An answer carries no discount');
    return fromProtoDiscount(discount);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw invalidInput({ discountId: ['Discount is not valid'] });
  }
}
