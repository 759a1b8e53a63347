import { type Context, context } from '@opentelemetry/api';
import { monotonicMs, sleep } from '../clock';

/** Outcome of one item of a batch. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** Options of a batcher. */
export interface BatcherOptions<Item, Result> {
  /**
   * Processes a whole batch and returns the outcome of each item, in their order. A rejection fails
   * all of them.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  /** Maximum size of a batch. A larger item is a batch of its own. */
  readonly batchMax: number;
  /** Concurrent batches per group: the fewer, the larger they grow. */
  readonly flushesMax: number;
  /** Items of one key never share a batch and are sent one after another. */
  readonly keyOf?: (item: Item) => string;
  /** Only items of one group share a batch. A group whose batches hang does not hold up others. */
  readonly groupOf?: (item: Item) => string;
  /** Size of an item; 1 by default. */
  readonly sizeOf?: (item: Item) => number;
  /**
   * Delays a batch after its first item, so that more can join; `full` aborts once it is full. By
   * default nothing is delayed.
   */
  readonly delay?: (full: AbortSignal) => Promise<void>;
  /** Minimum time between the starts of two batches; by default there is none. */
  readonly spacingMs?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly size: number;
  readonly key: string | undefined;
  readonly group: string | undefined;
  /** Trace and request of the caller. */
  readonly context: Context;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches concurrent items, like the group commit of a database. Unless a delay is configured, an
 * item is never delayed to fill a batch: while few batches are in flight it is sent immediately,
 * otherwise it joins the next batch. A batch runs on behalf of its first item, in whose trace it
 * appears.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private waitingSize = 0;
  private readonly busyKeys = new Set<string>();
  // Batches in flight, by group.
  private readonly flushes = new Map<string | undefined, number>();
  private isScheduled = false;
  // Present while a batch is delayed.
  private gathering: AbortController | undefined;
  private nextStartMs = 0;
  private isSpacing = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { keyOf, groupOf, sizeOf, delay } = this.options;
      const group = groupOf?.(item);
      const size = sizeOf?.(item) ?? 1;
      this.waiting.push({
        item,
        size,
        key: keyOf?.(item),
        group,
        context: context.active(),
        resolve,
        reject,
      });
      this.waitingSize += size;
      if (delay !== undefined) this.gather(delay);
      else if (!this.isFull(group)) this.schedule();
    });
  }

  private gather(delay: (full: AbortSignal) => Promise<void>): void {
    // Items that have waited out their delay wait for a batch in flight, which the new one joins.
    if (this.gathering === undefined && this.waiting.length === 1) {
      this.gathering = new AbortController();
      void delay(this.gathering.signal).then(() => {
        this.gathering = undefined;
        this.schedule();
      });
    }
    if (this.waitingSize >= this.options.batchMax) this.gathering?.abort();
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
      if (this.isTooEarly()) return;
      const batch = this.takeBatch();
      const [first] = batch;
      if (first === undefined) return;
      this.count(first.group, 1);
      this.nextStartMs = monotonicMs() + (this.options.spacingMs ?? 0);
      void context.with(first.context, () => this.flush(batch, first.group));
    }
  }

  /** True until the next batch may start, which then starts without a further call. */
  private isTooEarly(): boolean {
    if (this.options.spacingMs === undefined) return false;
    const leftMs = this.nextStartMs - monotonicMs();
    if (leftMs > 0 && !this.isSpacing && this.waiting.length > 0) {
      this.isSpacing = true;
      void sleep(leftMs).then(() => {
        this.isSpacing = false;
        this.start();
      });
    }
    return leftMs > 0;
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
    let room = this.options.batchMax;
    for (const one of this.waiting) {
      const isBusy = one.key !== undefined && this.busyKeys.has(one.key);
      const [first] = batch;
      const isOfOthers = first === undefined ? this.isFull(one.group) : first.group !== one.group;
      if (isBusy || isOfOthers || (first !== undefined && one.size > room)) {
        later.push(one);
        // No smaller item overtakes one that has no room.
        if (!isBusy && !isOfOthers) room = 0;
      } else {
        if (one.key !== undefined) this.busyKeys.add(one.key);
        batch.push(one);
        room -= one.size;
        this.waitingSize -= one.size;
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
      if (this.waiting.length > 0 && this.gathering === undefined) this.schedule();
    }
  }
}

/** Outcomes of items that have all succeeded. */
export function succeeded<Result>(results: readonly Result[]): Outcome<Result>[] {
  return results.map((value) => ({ value }));
}
