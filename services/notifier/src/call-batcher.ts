interface Batch<T, R> {
  readonly items: T[];
  readonly full: AbortController;
  readonly results: Promise<readonly R[]>;
}

export interface CallBatcherLimits {
  readonly batchMax?: number;
  /**
   * Delays a batch, in addition to the wait for the one before it, so that more items can join; at
   * most until the batch is full.
   */
  readonly delay?: (full: AbortSignal) => Promise<void>;
}

const batchMaxDefault = 100;

/**
 * Coalesces concurrent calls into batches. While one batch runs, the next one fills: a single item
 * does not wait unless configured to, and many cost hardly more than one. An error rejects all
 * items of its batch. A batch runs on behalf of its first item, in whose trace it appears.
 */
export class CallBatcher<T, R> {
  private filling: Batch<T, R> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `run` returns one result per item in their order, or nothing at all. */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly R[]>,
    private readonly limits: CallBatcherLimits = {},
  ) {}

  async add(item: T): Promise<R> {
    const batch = this.filling ?? this.open();
    const index = batch.items.push(item) - 1;
    if (batch.items.length === (this.limits.batchMax ?? batchMaxDefault)) {
      this.filling = undefined;
      batch.full.abort();
    }
    const results = await batch.results;
    return results[index] as R;
  }

  private open(): Batch<T, R> {
    const items: T[] = [];
    const full = new AbortController();
    const batch = { items, full, results: this.runAfter(this.last, items, full.signal) };
    this.filling = batch;
    this.last = batch.results.catch(() => undefined);
    return batch;
  }

  private async runAfter(
    previous: Promise<unknown>,
    items: readonly T[],
    full: AbortSignal,
  ): Promise<readonly R[]> {
    const { delay } = this.limits;
    if (delay === undefined) await previous;
    else await Promise.all([previous, delay(full)]);
    if (this.filling?.items === items) this.filling = undefined;
    return this.run(items);
  }
}
