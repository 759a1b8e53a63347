/** Outcome of one item of a batch. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** Options of a batcher. */
export interface BatcherOptions<Item, Result> {
  /**
   * Processes a whole batch and returns the outcome of each item, in their order. A rejection fails
   * all of them.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly batchMax: number;
  /** Concurrent batches per group: the fewer, the larger they grow. */
  readonly flushesMax: number;
  /** Items of one key never share a batch and are sent one after another. */
  readonly keyOf?: (item: Item) => string;
  /** Only items of one group share a batch. A group whose batches hang does not hold up others. */
  readonly groupOf?: (item: Item) => string;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly key: string | undefined;
  readonly group: string | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches concurrent items, like the group commit of a database. An item is never delayed to fill a
 * batch: while few batches are in flight it is sent immediately, otherwise it joins the next batch.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private readonly busyKeys = new Set<string>();
  // Batches in flight, by group.
  private readonly flushes = new Map<string | undefined, number>();
  private isScheduled = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { keyOf, groupOf } = this.options;
      const group = groupOf?.(item);
      this.waiting.push({ item, key: keyOf?.(item), group, resolve, reject });
      if (!this.isFull(group)) this.schedule();
    });
  }

  // Runs after everything that is ready to run, so that items caused by one event share a batch.
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    void Promise.resolve().then(() => {
      process.nextTick(() => {
        this.isScheduled = false;
        this.start();
      });
    });
  }

  private start(): void {
    for (;;) {
      const batch = this.takeBatch();
      const [first] = batch;
      if (first === undefined) return;
      this.count(first.group, 1);
      void this.flush(batch, first.group);
    }
  }

  private isFull(group: string | undefined): boolean {
    return (this.flushes.get(group) ?? 0) >= this.options.flushesMax;
  }

  private count(group: string | undefined, change: number): void {
    const flushes = (this.flushes.get(group) ?? 0) + change;
    if (flushes > 0) this.flushes.set(group, flushes);
    else this.flushes.delete(group);
  }

  private takeBatch(): Waiting<Item, Result>[] {
    if (this.options.groupOf === undefined && this.isFull(undefined)) return [];
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const one of this.waiting) {
      const isBusy = one.key !== undefined && this.busyKeys.has(one.key);
      const [first] = batch;
      const isOfOthers = first === undefined ? this.isFull(one.group) : first.group !== one.group;
      if (isBusy || isOfOthers || batch.length === this.options.batchMax) later.push(one);
      else {
        if (one.key !== undefined) this.busyKeys.add(one.key);
        batch.push(one);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async flush(
    batch: readonly Waiting<Item, Result>[],
    group: string | undefined,
  ): Promise<void> {
    try {
      const outcomes = await this.options.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('A batch did not say what became of an item'));
        else if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { key } of batch) if (key !== undefined) this.busyKeys.delete(key);
      this.count(group, -1);
      if (this.waiting.length > 0) this.schedule();
    }
  }
}
