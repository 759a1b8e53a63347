import { type CallContext, groupOfCall } from '@billing/chassis/call-context';
import { Coalescer, type Outcome } from '@billing/chassis/coalescer';
import type {
  CreateInvoiceRequest,
  CreateInvoiceResponse,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from './peers';

interface Order {
  readonly request: CreateInvoiceRequest;
  readonly context: CallContext;
}

// What checkout takes in one call.
const batchMax = 100;
// One is being answered while the next is on its way.
const flushesMax = 2;

/** Has invoices made, those that are ordered side by side by one call. */
export class InvoiceClient {
  private readonly orders: Coalescer<Order, CreateInvoiceResponse>;

  constructor(private readonly checkout: Peers['checkout']) {
    this.orders = new Coalescer({
      batchMax,
      flushesMax,
      groupOf: ({ context }) => groupOfCall(context),
      flush: (orders) => this.createAll(orders),
    });
  }

  create(request: CreateInvoiceRequest, context: CallContext): Promise<CreateInvoiceResponse> {
    return this.orders.run({ request, context });
  }

  private async createAll(orders: readonly Order[]): Promise<Outcome<CreateInvoiceResponse>[]> {
    const [first] = orders;
    if (first === undefined || orders.length === 1) return Promise.all(orders.map(this.createOne));
    const requests = orders.map(({ request }) => request);
    const { responses } = await this.checkout.createInvoices({ requests }, first.context);
    return Promise.all(
      orders.map(async (order, index) => {
        const response = responses[index];
        // Alone it says what is wrong with it.
        return response?.invoice === undefined ? await this.createOne(order) : { value: response };
      }),
    );
  }

  private readonly createOne = async ({
    request,
    context,
  }: Order): Promise<Outcome<CreateInvoiceResponse>> => {
    try {
      return { value: await this.checkout.createInvoice(request, context) };
    } catch (error) {
      return { error };
    }
  };
}
