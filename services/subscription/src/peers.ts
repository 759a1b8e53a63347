import type { CallContext } from '@billing/chassis/call-context';
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
import type { SubscriptionConfiguration } from './config';
import type { CustomerFacts, ProductFacts } from './creation-input';
import { fromProtoCollectionMethod } from './invoice-rpc';
import { fromProtoPrice } from './price-rpc';

/** The services that this one calls. */
export interface Peers {
  readonly catalog: Peer<CatalogServiceServer>;
  readonly customer: Peer<CustomerServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
}

export function connectPeers(service: Service, config: SubscriptionConfiguration): Peers {
  return {
    catalog: service.peer<CatalogServiceServer>(CatalogServiceService, {
      address: config.CATALOG_ADDRESS,
      notIdempotent: ['createProduct'],
    }),
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: config.CUSTOMER_ADDRESS,
      notIdempotent: ['createCustomer'],
    }),
    checkout: service.peer<CheckoutServiceServer>(CheckoutServiceService, {
      address: config.CHECKOUT_ADDRESS,
    }),
  };
}

/** Throws what the customer's owner says of an id that it does not know. */
export async function fetchCustomer(
  { customer: peer }: Peers,
  id: string,
  context: CallContext,
): Promise<CustomerFacts> {
  const { customer } = await peer.getCustomer({ id }, context);
  if (customer === undefined) throw new Error('An answer carries no customer');
  const { email, name, currency, collectionMethod } = customer;
  return {
    id: customer.id,
    email,
    name: name ?? null,
    currency,
    collectionMethod: fromProtoCollectionMethod(collectionMethod),
  };
}

/** Throws what the product's owner says of an id that it does not know. */
export async function fetchProduct(
  { catalog }: Peers,
  id: string,
  context: CallContext,
): Promise<ProductFacts> {
  const { product } = await catalog.getProduct({ id }, context);
  if (product?.price === undefined) throw new Error('An answer carries no product with a price');
  const { name, active, price } = product;
  return { id: product.id, name, active, price: fromProtoPrice(price) };
}

/** Whether any invoice was ever made for the customer. */
export async function customerHasInvoice(
  { checkout }: Peers,
  customerId: string,
  context: CallContext,
): Promise<boolean> {
  const request = { customerId, subscriptionId: undefined, page: 1, perPage: 1 };
  const { total } = await checkout.listInvoices(request, context);
  return total > 0;
}
