import { type CallContext, groupOfCall } from '@billing/chassis/call-context';
import { Coalescer, type Outcome } from '@billing/chassis/coalescer';
import type { CustomerFacts } from './creation-input';
import { fromProtoCustomer } from './customer-rpc';
import type { Peers } from './peers';

interface Question {
  readonly id: string;
  readonly context: CallContext;
}

// What the customer service takes in one call.
const batchMax = 100;
// One is being answered while the next is on its way.
const flushesMax = 2;

/** Reads customers as they are now, those that are asked for side by side by one call. */
export class CustomerClient {
  private readonly questions: Coalescer<Question, CustomerFacts | undefined>;

  constructor(private readonly customers: Pick<Peers['customer'], 'getCustomers'>) {
    this.questions = new Coalescer({
      batchMax,
      flushesMax,
      groupOf: ({ context }) => groupOfCall(context),
      flush: (questions) => this.readAll(questions),
    });
  }

  /** Undefined for one that the environment does not have. */
  find(id: string, context: CallContext): Promise<CustomerFacts | undefined> {
    return this.questions.run({ id, context });
  }

  private async readAll(
    questions: readonly Question[],
  ): Promise<Outcome<CustomerFacts | undefined>[]> {
    const [first] = questions;
    if (first === undefined) return [];
    const ids = [...new Set(questions.map(({ id }) => id))];
    const { customers } = await this.customers.getCustomers({ ids }, first.context);
    const known = new Map(customers.map((one) => [one.id, fromProtoCustomer(one)]));
    return questions.map(({ id }) => ({ value: known.get(id) }));
  }
}
