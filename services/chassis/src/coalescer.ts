/** What became of one item of a batch. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** How items are gathered. */
export interface CoalescerOptions<Item, Result> {
  /** Does the work of a whole batch and says what became of each item, in their order. Rejecting fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly batchMax: number;
  /** Batches under way at once: the fewer, the larger they grow. */
  readonly flushesMax: number;
  /** Items of one key go in batches of their own, one after another. */
  readonly keyOf?: (item: Item) => string;
  /** Only items of one group go together. */
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
 * that comes when little is under way goes at once, and those that come meanwhile go together.
 */
export class Coalescer<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private readonly busyKeys = new Set<string>();
  private flushes = 0;
  private isScheduled = false;

  constructor(private readonly options: CoalescerOptions<Item, Result>) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { keyOf, groupOf } = this.options;
      this.waiting.push({ item, key: keyOf?.(item), group: groupOf?.(item), resolve, reject });
      this.schedule();
    });
  }

  // After everything that is ready to run, so that what one event sets off goes together.
  private schedule(): void {
    if (this.isScheduled || this.flushes >= this.options.flushesMax) return;
    this.isScheduled = true;
    void Promise.resolve().then(() => {
      process.nextTick(() => {
        this.isScheduled = false;
        this.start();
      });
    });
  }

  private start(): void {
    while (this.flushes < this.options.flushesMax) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      this.flushes += 1;
      void this.flush(batch);
    }
  }

  private takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const one of this.waiting) {
      const isBusy = one.key !== undefined && this.busyKeys.has(one.key);
      const isOfOthers = batch.length > 0 && batch[0]?.group !== one.group;
      if (isBusy || isOfOthers || batch.length === this.options.batchMax) later.push(one);
      else {
        if (one.key !== undefined) this.busyKeys.add(one.key);
        batch.push(one);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
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
      this.flushes -= 1;
      if (this.waiting.length > 0) this.schedule();
    }
  }
}
