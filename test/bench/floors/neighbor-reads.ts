import { connectPeer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
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
import { serveJobs } from './serve-jobs';

// Calls the neighbors of `subscription` as often as a preview of a seat does, without computing
// anything: the customer, the product, and the invoice of the running period twice.

const { CUSTOMER_ADDRESS = '', CATALOG_ADDRESS = '', CHECKOUT_ADDRESS = '' } = process.env;

interface FloorJob {
  readonly count: number;
  readonly inFlight: number;
  readonly tenant: NonNullable<Parameters<typeof testContext>[0]>['tenant'];
  readonly read: readonly {
    readonly customerId: string;
    readonly productId: string;
    readonly invoiceId: string;
  }[];
}

const service = 'bench';
const customers = connectPeer<CustomerServiceServer>(CustomerServiceService, {
  address: CUSTOMER_ADDRESS,
  service,
});
const catalog = connectPeer<CatalogServiceServer>(CatalogServiceService, {
  address: CATALOG_ADDRESS,
  service,
});
const checkout = connectPeer<CheckoutServiceServer>(CheckoutServiceService, {
  address: CHECKOUT_ADDRESS,
  service,
});

async function readAll({ count, inFlight, tenant, read }: FloorJob) {
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      const { customerId, productId, invoiceId } = read[begun % read.length] ?? {};
      if (customerId === undefined || productId === undefined || invoiceId === undefined) {
        throw new Error('There is nothing to read');
      }
      begun += 1;
      const context = testContext(tenant === undefined ? {} : { tenant });
      await customers.getCustomers({ ids: [customerId] }, context);
      await catalog.getProducts({ ids: [productId] }, context);
      for (let time = 0; time < 2; time += 1) await checkout.getInvoice({ id: invoiceId }, context);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { operations: count };
}

serveJobs(readAll);
