/** A page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
}

const perPageOfLoops = 100;

/**
 * A list: awaited it is one page, and a loop with `for await` passes every item once. Items that
 * are created during the loop move others to the next page, where they are skipped.
 */
export class List<T, P extends Page<T> = Page<T>> implements PromiseLike<P>, AsyncIterable<T> {
  readonly #read: (query: object) => Promise<P>;
  readonly #query: object;
  #first: Promise<P> | undefined;

  constructor(read: (query: object) => Promise<P>, query: object = {}) {
    this.#read = read;
    this.#query = query;
  }

  then<A = P, B = never>(
    onFulfilled?: ((page: P) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read(this.#query);
    return this.#first.then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const query = { perPage: perPageOfLoops, ...this.#query };
    const { page: firstPage = 1 } = this.#query as { page?: number };
    const passed = new Set<string>();
    for (let page = firstPage; ; page += 1) {
      const { data, total, perPage } = await this.#read({ ...query, page });
      for (const item of data) {
        const id = identityOf(item);
        if (passed.has(id)) continue;
        passed.add(id);
        yield item;
      }
      if (data.length === 0 || page * perPage >= total) return;
    }
  }
}

/** The id of a resource; resources without one are told apart by their content. */
function identityOf(item: unknown): string {
  const { id } = item as { id?: unknown };
  return typeof id === 'string' ? id : JSON.stringify(item);
}
