import { BatchClient } from './batch-client';
import type { CallContext } from './call-context';

interface Answer<Resource> {
  readonly found: Resource | undefined;
}

// Enough that a call that hangs holds up nobody but its own; the fewer, the more go together.
const flushesMax = 4;

/** Asks a peer about single resources, those that are asked for side by side by one call. */
export class BatchedLookup<Resource extends { readonly id: string }> {
  private readonly questions: BatchClient<string, Answer<Resource>>;

  /** `ask` gives those of the ids that the environment has, in any order. */
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

  /** Undefined for one that the environment does not have. */
  async find(id: string, context: CallContext): Promise<Resource | undefined> {
    const { found } = await this.questions.ask(id, context);
    return found;
  }
}
