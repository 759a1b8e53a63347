import { type CallContext, contextOfGroup, groupOfCall } from './call-context';
import { Batcher, type Outcome } from '../concurrency/batcher';
import { DeadlineExceededError, isTooLarge, isUnimplemented } from './grpc-status';

interface PendingRequest<Request> {
  readonly request: Request;
  readonly context: CallContext;
}

/** Calls of a batch client and their limit. */
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
  private readonly batcher: Batcher<PendingRequest<Request>, Answer>;

  constructor(private readonly options: BatchClientOptions<Request, Answer>) {
    const { flushesMax = 3 } = options;
    this.batcher = new Batcher({
      batchMax,
      flushesMax,
      groupOf: ({ context }) => groupOfCall(context),
      flush: (batch) => this.sendBatch(batch),
    });
  }

  ask(request: Request, context: CallContext): Promise<Answer> {
    return this.batcher.run({ request, context });
  }

  private async sendBatch(batch: readonly PendingRequest<Request>[]): Promise<Outcome<Answer>[]> {
    const [first, ...others] = batch;
    if (first === undefined || others.length === 0) return Promise.all(batch.map(this.sendAlone));
    const context = contextOfGroup([first.context, ...others.map((other) => other.context)]);
    try {
      return await this.sendTogether(batch, context);
    } catch (error) {
      if (isUnimplemented(error)) return Promise.all(batch.map(this.sendAlone));
      if (!isTooLarge(error)) throw error;
      const half = Math.ceil(batch.length / 2);
      const parts = [batch.slice(0, half), batch.slice(half)].map((part) => this.sendPart(part));
      return (await Promise.all(parts)).flat();
    }
  }

  // A failed part does not fail the others.
  private async sendPart(batch: readonly PendingRequest<Request>[]): Promise<Outcome<Answer>[]> {
    try {
      return await this.sendBatch(batch);
    } catch (error) {
      return batch.map(() => ({ error }));
    }
  }

  private async sendTogether(
    batch: readonly PendingRequest<Request>[],
    context: CallContext,
  ): Promise<Outcome<Answer>[]> {
    const requests = batch.map(({ request }) => request);
    const answers = await this.options.many(requests, context);
    return Promise.all(
      batch.map(async (one, index) => {
        // Requests whose caller has left are not sent.
        if (one.context.signal.aborted) return { error: new DeadlineExceededError() };
        const answer = answers[index];
        return answer === undefined ? await this.sendAlone(one) : { value: answer };
      }),
    );
  }

  private readonly sendAlone = async ({
    request,
    context,
  }: PendingRequest<Request>): Promise<Outcome<Answer>> => {
    try {
      return { value: await this.options.one(request, context) };
    } catch (error) {
      return { error };
    }
  };
}

interface Answer<Resource> {
  readonly found: Resource | undefined;
}

// Enough that a hanging call holds up only its own lookups; the fewer, the larger the batches.
const flushesMax = 4;

/** Looks up single resources of a peer. Concurrent lookups share one call. */
export class BatchedLookup<Resource extends { readonly id: string }> {
  private readonly questions: BatchClient<string, Answer<Resource>>;

  /** `ask` returns those of the ids that exist in the environment, in any order. */
  constructor(ask: (ids: string[], context: CallContext) => Promise<readonly Resource[]>) {
    const many = async (ids: string[], context: CallContext) => {
      const found = await ask([...new Set(ids)], context);
      const known = new Map(found.map((resource) => [resource.id, resource]));
      return ids.map((id) => ({ found: known.get(id) }));
    };
    const one = async (id: string, context: CallContext) => {
      const [found] = await ask([id], context);
      return { found };
    };
    this.questions = new BatchClient({ one, many, flushesMax });
  }

  /** Undefined for an id that the environment does not have. */
  async find(id: string, context: CallContext): Promise<Resource | undefined> {
    const { found } = await this.questions.ask(id, context);
    return found;
  }
}
