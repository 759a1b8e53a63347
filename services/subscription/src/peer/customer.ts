import { BatchedLookup } from '@billing/chassis/batch-client';
import type { CallContext } from '@billing/chassis/call-context';
import type {
  CollectionMethod as ProtoCollectionMethod,
  Customer as ProtoCustomer,
} from '@billing/proto/billing/customer/v1/customer';
import { notFound } from '@billing/kernel/domain-error';
import { collectionMethods } from '@billing/proto/values/customer';
import type { CustomerFacts } from '../subscription/customer';
import { writeBuyer } from './buyer';
import type { Peers } from './peers';
import type { CollectionMethod } from '../subscription/subscription';

/** Reads customers in their present state; concurrent reads share one call. */
export class CustomerClient {
  private readonly customers: BatchedLookup<CustomerFacts>;

  constructor(peer: Pick<Peers['customer'], 'getCustomers'>) {
    this.customers = new BatchedLookup(async (ids, context) => {
      const { customers } = await peer.getCustomers({ ids }, context);
      return customers.map(fromProtoCustomer);
    });
  }

  /** Undefined for a customer that the environment does not have. */
  find(id: string, context: CallContext): Promise<CustomerFacts | undefined> {
    return this.customers.find(id, context);
  }
}

/** Maps a customer to the facts about the payer. */
export function fromProtoCustomer(customer: ProtoCustomer): CustomerFacts {
  const { id, email, name, currency, currencyFixed, collectionMethod } = customer;
  return {
    id,
    email,
    name: name ?? null,
    currency,
    isCurrencyFixed: currencyFixed ?? false,
    collectionMethod: fromProtoCollectionMethod(collectionMethod),
    buyer: writeBuyer(customer),
  };
}

/** Maps how a customer's invoices are collected. Unspecified stands for the default. */
export function fromProtoCollectionMethod(method: ProtoCollectionMethod): CollectionMethod {
  return collectionMethods.knownName(method) ?? 'CHARGE_AUTOMATICALLY';
}

/** Throws not_found for an unknown id. */
export async function fetchCustomer(
  customers: CustomerClient,
  id: string,
  context: CallContext,
): Promise<CustomerFacts> {
  const customer = await customers.find(id, context);
  if (customer === undefined) throw notFound('Customer');
  return customer;
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
