interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does for many at once what each asks for alone. While one group is under way the next one gathers: a lone item does not wait, and many
 * cost hardly more than one. An error is everybody's of its group.
 */
export class Grouping<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private isRunning = false;

  /** `run` returns a result for each item in their order, or nothing at all. */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly R[]>,
    private readonly groupMax = 100,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.runGroups();
    });
  }

  private async runGroups(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      const group = this.waiting.slice(0, this.groupMax);
      this.waiting = this.waiting.slice(this.groupMax);
      await this.runGroup(group);
    }
    this.isRunning = false;
  }

  private async runGroup(group: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.run(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
