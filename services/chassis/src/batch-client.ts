import { type CallContext, contextOfGroup, groupOfCall } from './call-context';
import { Batcher, type Outcome } from './batcher';
import { DeadlineExceededError, isTooLarge } from './grpc-status';

interface Asked<Request> {
  readonly request: Request;
  readonly context: CallContext;
}

/** How a peer accepts requests. */
export interface BatchClientOptions<Request, Answer> {
  readonly one: (request: Request, context: CallContext) => Promise<Answer>;
  /**
   * Returns one answer for each request, in their order; undefined for a request that must be sent
   * alone to get its answer or its error.
   */
  readonly many: (
    requests: Request[],
    context: CallContext,
  ) => Promise<readonly (Answer | undefined)[]>;
  /**
   * Concurrent calls for one environment: the fewer, the larger the batches. By default one is
   * being answered, one in flight and one being prepared.
   */
  readonly flushesMax?: number;
}

// Maximum that peers accept in one call.
const batchMax = 100;

/**
 * Sends concurrent requests to a peer in one call, or in several if they are too large for one
 * message.
 */
export class BatchClient<Request, Answer> {
  private readonly asked: Batcher<Asked<Request>, Answer>;

  constructor(private readonly options: BatchClientOptions<Request, Answer>) {
    const { flushesMax = 3 } = options;
    this.asked = new Batcher({
      batchMax,
      flushesMax,
      groupOf: ({ context }) => groupOfCall(context),
      flush: (asked) => this.askAll(asked),
    });
  }

  ask(request: Request, context: CallContext): Promise<Answer> {
    return this.asked.run({ request, context });
  }

  private async askAll(asked: readonly Asked<Request>[]): Promise<Outcome<Answer>[]> {
    const [first, ...others] = asked;
    if (first === undefined || others.length === 0) return Promise.all(asked.map(this.askOne));
    const context = contextOfGroup([first.context, ...others.map((other) => other.context)]);
    try {
      return await this.askTogether(asked, context);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const half = Math.ceil(asked.length / 2);
      const parts = [asked.slice(0, half), asked.slice(half)].map((part) => this.askPart(part));
      return (await Promise.all(parts)).flat();
    }
  }

  // A failed part does not fail the others.
  private async askPart(asked: readonly Asked<Request>[]): Promise<Outcome<Answer>[]> {
    try {
      return await this.askAll(asked);
    } catch (error) {
      return asked.map(() => ({ error }));
    }
  }

  private async askTogether(
    asked: readonly Asked<Request>[],
    context: CallContext,
  ): Promise<Outcome<Answer>[]> {
    const requests = asked.map(({ request }) => request);
    const answers = await this.options.many(requests, context);
    return Promise.all(
      asked.map(async (one, index) => {
        // Requests whose caller has left are not sent.
        if (one.context.signal.aborted) return { error: new DeadlineExceededError() };
        const answer = answers[index];
        return answer === undefined ? await this.askOne(one) : { value: answer };
      }),
    );
  }

  private readonly askOne = async ({
    request,
    context,
  }: Asked<Request>): Promise<Outcome<Answer>> => {
    try {
      return { value: await this.options.one(request, context) };
    } catch (error) {
      return { error };
    }
  };
}
