import { type CallContext, groupOfCall } from './call-context';
import { Coalescer, type Outcome } from './coalescer';

interface Question {
  readonly id: string;
  readonly context: CallContext;
}

// What a peer takes in one call.
const batchMax = 100;
// Enough that one call that hangs holds up nobody but its own; the fewer, the more go together.
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
    const context = others.length === 0 ? first.context : shared(questions, first.context);
    const known = new Map((await this.ask(ids, context)).map((found) => [found.id, found]));
    return questions.map(({ id }) => ({ value: known.get(id) }));
  }
}

// Who goes away takes nobody else's answer along, and who has the least time leaves the others theirs.
function shared(questions: readonly Question[], first: CallContext): CallContext {
  const { tenant, now, scopes, requestId } = first;
  const latest = Math.max(...questions.map(({ context }) => context.deadline.getTime()));
  const { signal } = new AbortController();
  return { tenant, now, scopes, requestId, signal, deadline: new Date(latest) };
}
