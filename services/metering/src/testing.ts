import { Service } from '@billing/chassis/service';
import { testServiceConfiguration } from '@billing/chassis/testing';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import {
  CollectionMethod,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

// What the integration tests of this service share.

/** Knows some customers, in the role of their owner. */
export async function startCustomers(ids: ReadonlySet<string>) {
  const service = await Service.open('customers', testServiceConfiguration('customers'));
  const unused = () => Promise.reject(new Error('Nobody calls this'));
  return service.serve([
    rpcService<CustomerServiceServer>(CustomerServiceService, {
      createCustomer: unused,
      getCustomers: unused,
      listCustomers: unused,
      updateCustomer: unused,
      getCustomer: async ({ id }) => {
        if (!ids.has(id)) throw notFound('Customer');
        return {
          customer: {
            id,
            organizationId: id,
            email: 'ada@example.com',
            address: undefined,
            currency: 'EUR',
            collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
            metadata: undefined,
            createdAt: undefined,
            updatedAt: undefined,
            version: 1n,
          },
        };
      },
    }),
  ]);
}

/** Has no running period of anybody, in the role of the subscriptions' owner. */
export async function startSubscriptions() {
  const service = await Service.open('subscriptions', testServiceConfiguration('subscriptions'));
  const unused = () => Promise.reject(new Error('Nobody calls this'));
  const names = Object.keys(SubscriptionServiceService);
  const calls: unknown = Object.fromEntries(names.map((name) => [name, unused]));
  return service.serve([
    rpcService<SubscriptionServiceServer>(SubscriptionServiceService, {
      ...(calls as AsyncHandlers<SubscriptionServiceServer>),
      listUsagePeriods: async () => ({ periods: [] }),
    }),
  ]);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The answer lacks it');
  return value;
}
