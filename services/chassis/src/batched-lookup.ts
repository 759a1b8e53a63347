import { type CallContext, contextOfGroup, groupOfCall } from './call-context';
import { Coalescer, type Outcome } from './coalescer';
import { isTooLarge } from './grpc-status';

interface Question {
  readonly id: string;
  readonly context: CallContext;
}

// What a peer takes in one call.
const batchMax = 100;
// Of one environment: enough that a call that hangs holds up nobody but its own; the fewer, the more go together.
const flushesMax = 4;

/** Asks a peer about single resources, those that are asked for side by side by one call. */
export class BatchedLookup<Resource extends { readonly id: string }> {
  private readonly questions: Coalescer<Question, Resource | undefined>;

  /** `ask` gives those of the ids that the environment has, in any order. */
  constructor(
    private readonly ask: (ids: string[], context: CallContext) => Promise<readonly Resource[]>,
  ) {
    this.questions = new Coalescer({
      batchMax,
      flushesMax,
      groupOf: ({ context }) => groupOfCall(context),
      flush: (questions) => this.askAll(questions),
    });
  }

  /** Undefined for one that the environment does not have. */
  find(id: string, context: CallContext): Promise<Resource | undefined> {
    return this.questions.run({ id, context });
  }

  private async askAll(questions: readonly Question[]): Promise<Outcome<Resource | undefined>[]> {
    const [first, ...others] = questions;
    if (first === undefined) return [];
    const ids = [...new Set(questions.map(({ id }) => id))];
    const context = contextOfGroup([first.context, ...others.map((other) => other.context)]);
    const known = new Map((await this.askFor(ids, context)).map((found) => [found.id, found]));
    return questions.map(({ id }) => ({ value: known.get(id) }));
  }

  private async askFor(ids: string[], context: CallContext): Promise<readonly Resource[]> {
    try {
      return await this.ask(ids, context);
    } catch (error) {
      if (ids.length === 1 || !isTooLarge(error)) throw error;
      const half = Math.ceil(ids.length / 2);
      const parts = [ids.slice(0, half), ids.slice(half)];
      return (await Promise.all(parts.map((part) => this.askFor(part, context)))).flat();
    }
  }
}
