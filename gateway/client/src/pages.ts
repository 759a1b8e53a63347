/** A page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
}

/** Events of the feed. */
export interface FeedPage<T> {
  readonly data: T[];
  /** The next `after`. */
  readonly nextAfter: string;
}

/** An answer with some items of a list, or with all of them. */
export type SomeItems<T> = Page<T> | FeedPage<T> | T[];

const perPageOfLoops = 100;

/**
 * A list: awaited it is one answer, and a loop with `for await` passes every item once. Items that
 * are created during the loop move others to the next page, where they are skipped.
 */
export class List<T, P extends SomeItems<T> = Page<T>> implements PromiseLike<P>, AsyncIterable<T> {
  readonly #read: (query: object) => Promise<P>;
  readonly #query: object;
  readonly #isPaged: boolean;
  #first: Promise<P> | undefined;

  constructor(
    read: (query: object) => Promise<P>,
    { query = {}, isPaged }: { readonly query?: object | undefined; readonly isPaged: boolean },
  ) {
    this.#read = read;
    this.#query = query;
    this.#isPaged = isPaged;
  }

  then<A = P, B = never>(
    onFulfilled?: ((page: P) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read(this.#query);
    return this.#first.then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const passed = new Set<string>();
    let query: object | undefined = this.#isPaged
      ? { perPage: perPageOfLoops, page: 1, ...this.#query }
      : this.#query;
    while (query !== undefined) {
      const answer: SomeItems<T> = await this.#read(query);
      const items = Array.isArray(answer) ? answer : answer.data;
      for (const item of items) {
        const id = identityOf(item);
        if (passed.has(id)) continue;
        passed.add(id);
        yield item;
      }
      query = items.length === 0 ? undefined : following(query, answer);
    }
  }
}

/** The query of the items after an answer; undefined after the last one. */
function following(query: object, answer: SomeItems<unknown>): object | undefined {
  if (Array.isArray(answer)) return undefined;
  if ('nextAfter' in answer) return { ...query, after: answer.nextAfter };
  const { page, perPage, total } = answer;
  return page * perPage < total ? { ...query, page: page + 1 } : undefined;
}

/**
 * The id of a resource, or the position of an event in the feed; other items are compared by their
 * content.
 */
function identityOf(item: unknown): string {
  const { id, position } = item as { id?: unknown; position?: unknown };
  return typeof id === 'string' ? id : JSON.stringify(position ?? item);
}
