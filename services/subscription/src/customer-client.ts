import { BatchedLookup } from '@billing/chassis/batched-lookup';
import type { CallContext } from '@billing/chassis/call-context';
import type { CustomerFacts } from './creation-input';
import { fromProtoCustomer } from './customer-rpc';
import type { Peers } from './peers';

/** Reads customers as they are now, those that are asked for side by side by one call. */
export class CustomerClient {
  private readonly customers: BatchedLookup<CustomerFacts>;

  constructor(peer: Pick<Peers['customer'], 'getCustomers'>) {
    this.customers = new BatchedLookup(async (ids, context) => {
      const { customers } = await peer.getCustomers({ ids }, context);
      return customers.map(fromProtoCustomer);
    });
  }

  /** Undefined for one that the environment does not have. */
  find(id: string, context: CallContext): Promise<CustomerFacts | undefined> {
    return this.customers.find(id, context);
  }
}
