interface Group<T, R> {
  readonly items: T[];
  readonly full: AbortController;
  readonly results: Promise<readonly R[]>;
}

/** How groups come about. */
export interface GroupingLimits {
  readonly groupMax?: number;
  /** What a group waits for, beside the one before it, so that more can come; at most until it is full. */
  readonly gather?: (full: AbortSignal) => Promise<void>;
}

const groupMaxDefault = 100;

/**
 * Does for many at once what each asks for alone. While one group is in progress the next one gathers: a lone item does not wait, unless
 * it is told to, and many cost hardly more than one. An error is everybody's of its group. A group runs on behalf of its first item, in whose trace it appears.
 */
export class Grouping<T, R> {
  private gathering: Group<T, R> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `run` returns a result for each item in their order, or nothing at all. */
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
