interface Group<T, R> {
  readonly items: T[];
  readonly full: AbortController;
  readonly results: Promise<readonly R[]>;
}

export interface GroupingLimits {
  readonly groupMax?: number;
  /**
   * Delays a batch, in addition to the wait for the one before it, so that more items can join; at
   * most until the batch is full.
   */
  readonly gather?: (full: AbortSignal) => Promise<void>;
}

const groupMaxDefault = 100;

/**
 * Coalesces concurrent calls into batches. While one batch runs, the next one fills: a single item
 * does not wait unless configured to, and many cost hardly more than one. An error rejects all
 * items of its batch. A batch runs on behalf of its first item, in whose trace it appears.
 */
export class Grouping<T, R> {
  private gathering: Group<T, R> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `run` returns one result per item in their order, or nothing at all. */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly R[]>,
    private readonly limits: GroupingLimits = {},
  ) {}

  async add(item: T): Promise<R> {
    const group = this.gathering ?? this.open();
    const index = group.items.push(item) - 1;
    if (group.items.length === (this.limits.groupMax ?? groupMaxDefault)) {
      this.gathering = undefined;
      group.full.abort();
    }
    const results = await group.results;
    return results[index] as R;
  }

  private open(): Group<T, R> {
    const items: T[] = [];
    const full = new AbortController();
    const group = { items, full, results: this.runAfter(this.last, items, full.signal) };
    this.gathering = group;
    this.last = group.results.catch(() => undefined);
    return group;
  }

  private async runAfter(
    previous: Promise<unknown>,
    items: readonly T[],
    full: AbortSignal,
  ): Promise<readonly R[]> {
    const { gather } = this.limits;
    if (gather === undefined) await previous;
    else await Promise.all([previous, gather(full)]);
    if (this.gathering?.items === items) this.gathering = undefined;
    return this.run(items);
  }
}
