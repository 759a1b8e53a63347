import { BatchClient } from './batch-client';
import type { CallContext } from './call-context';

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
