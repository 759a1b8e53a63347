import { BatchedLookup } from '@billing/chassis/batched-lookup';
import type { CallContext } from '@billing/chassis/call-context';
import type { CustomerFacts } from './customer';
import { fromProtoCustomer } from './customer-rpc';
import type { Peers } from './peers';

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
