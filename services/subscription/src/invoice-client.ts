import { BatchClient } from '@billing/chassis/batch-client';
import type { CallContext } from '@billing/chassis/call-context';
import type {
  CreateInvoiceRequest,
  CreateInvoiceResponse,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from './peers';

/** Orders invoices from checkout; concurrent orders share one call. */
export class InvoiceClient {
  private readonly orders: BatchClient<CreateInvoiceRequest, CreateInvoiceResponse>;

  constructor(checkout: Pick<Peers['checkout'], 'createInvoice' | 'createInvoices'>) {
    this.orders = new BatchClient({
      one: (request, context) => checkout.createInvoice(request, context),
      many: async (requests, context) => {
        const { responses } = await checkout.createInvoices({ requests }, context);
        return responses.map((response) => (response.invoice === undefined ? undefined : response));
      },
    });
  }

  create(request: CreateInvoiceRequest, context: CallContext): Promise<CreateInvoiceResponse> {
    return this.orders.ask(request, context);
  }
}
