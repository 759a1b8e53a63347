/** What became of one item of a batch. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** How items are gathered. */
export interface BatcherOptions<Item, Result> {
  /** Does the work of a whole batch and says what became of each item, in their order. Rejecting fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly batchMax: number;
  /** Batches that run in parallel, of each group for itself: the fewer, the larger they grow. */
  readonly flushesMax: number;
  /** Items of one key go in batches of their own, one after another. */
  readonly keyOf?: (item: Item) => string;
  /** Only items of one group go together, and a group whose batches hang holds up no other. */
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
 * Gathers what is asked for side by side into batches, as a database does when it commits in groups. Nothing waits for company: an item
 * that comes when little is in progress goes at once, and those that come in the meantime go together.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private readonly busyKeys = new Set<string>();
  // How many are in progress, by group.
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

  // After everything that is ready to run, so that what one event sets off goes together.
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
