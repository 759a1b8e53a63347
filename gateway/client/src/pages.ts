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
  /** The last event of the feed. */
  readonly newest: string;
}

/** An answer with some items of a list, or with all of them. */
export type SomeItems<T> = Page<T> | FeedPage<T> | T[];

const perPageOfLoops = 100;

/** The properties that tell items of one list apart. */
interface Identified {
  readonly id?: string;
  readonly position?: number;
  readonly subscriptionId?: string;
  readonly customerId?: string;
  readonly currency?: string;
}

/**
 * A list: awaited it is one answer, and a loop with `for await` passes every item once. An item
 * that is created during the loop moves the last one of a page to the next, where it is skipped.
 * A loop over the feed ends at its newest event.
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
      query = following(query, answer);
    }
  }
}

/** The query of the items after an answer; undefined after the last one. */
function following(
  query: { readonly after?: string },
  answer: SomeItems<unknown>,
): object | undefined {
  if (Array.isArray(answer)) return undefined;
  if ('nextAfter' in answer) {
    const { nextAfter, newest } = answer;
    // A page without events of the asked types may still have moved on.
    const isEnd = nextAfter === newest || nextAfter === query.after;
    return isEnd ? undefined : { ...query, after: nextAfter };
  }
  const { data, page, perPage, total } = answer;
  return data.length > 0 && page * perPage < total ? { ...query, page: page + 1 } : undefined;
}

/**
 * What stays the same while an item changes: the id of a resource, the position of an event in the
 * feed, the subscription of a price migration, or customer and currency of a balance.
 */
function identityOf(item: unknown): string {
  const { id, position, subscriptionId, customerId, currency } = item as Identified;
  if (typeof id === 'string') return id;
  const identity = position ?? subscriptionId;
  if (identity !== undefined) return String(identity);
  return JSON.stringify(customerId === undefined ? item : [customerId, currency]);
}
