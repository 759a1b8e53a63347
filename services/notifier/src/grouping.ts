interface Group<T, R> {
  readonly items: T[];
  readonly results: Promise<readonly R[]>;
}

/**
 * Does for many at once what each asks for alone. While one group is under way the next one gathers: a lone item does not wait, and many
 * cost hardly more than one. An error is everybody's of its group. A group runs on behalf of its first item, in whose trace it appears.
 */
export class Grouping<T, R> {
  private gathering: Group<T, R> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `run` returns a result for each item in their order, or nothing at all. */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly R[]>,
    private readonly groupMax = 100,
  ) {}

  async add(item: T): Promise<R> {
    const group = this.gathering ?? this.open();
    const index = group.items.push(item) - 1;
    if (group.items.length === this.groupMax) this.gathering = undefined;
    const results = await group.results;
    return results[index] as R;
  }

  private open(): Group<T, R> {
    const items: T[] = [];
    const group = { items, results: this.runAfter(this.last, items) };
    this.gathering = group;
    this.last = group.results.catch(() => undefined);
    return group;
  }

  private async runAfter(previous: Promise<unknown>, items: readonly T[]): Promise<readonly R[]> {
    await previous;
    if (this.gathering?.items === items) this.gathering = undefined;
    return this.run(items);
  }
}
