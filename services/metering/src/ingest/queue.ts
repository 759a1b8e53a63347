import { DomainError } from '@billing/kernel/domain-error';
import type { FlushResult } from '../usage/event-store';

/** Batch and queue limits. */
export interface IngestQueueOptions<Item> {
  /** Stores items in one command. A rejection fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<FlushResult<Item>>;
  /** Items per command; a single request is never split. */
  readonly batchMax: number;
  /** Concurrent commands. */
  readonly flushesMax: number;
  /** Items queued or in flight; more are refused. */
  readonly itemsMax: number;
}

interface Request<Item> {
  readonly items: readonly Item[];
  /** Throws if the deadline has passed. */
  readonly admit: () => void;
  readonly resolve: (duplicates: ReadonlySet<Item>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines small requests while the database is busy. With few commands in flight, a request is
 * sent immediately instead of waiting for others. The queue is bounded: beyond the limit, callers
 * are asked to retry later.
 */
export class IngestQueue<Item> {
  private waiting: Request<Item>[] = [];
  private flushes = 0;
  private itemCount = 0;

  constructor(private readonly options: IngestQueueOptions<Item>) {}

  /**
   * Returns the items that already existed. Rejects if one of this request's items could not be
   * stored. `admit` is called right before the request is sent.
   */
  async store(items: readonly Item[], admit: () => void): Promise<ReadonlySet<Item>> {
    if (this.itemCount + items.length > this.options.itemsMax) {
      throw new DomainError('resource_exhausted', 'INGEST_FULL', 'Too many requests');
    }
    this.itemCount += items.length;
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.push({ items, admit, resolve, reject });
        this.startFlushes();
      });
    } finally {
      this.itemCount -= items.length;
    }
  }

  private startFlushes(): void {
    while (this.flushes < this.options.flushesMax && this.waiting.length > 0) {
      this.flushes += 1;
      void this.flush(this.dequeueBatch());
    }
  }

  private dequeueBatch(): Request<Item>[] {
    let size = 0;
    const first = this.waiting.findIndex(({ items }, index) => {
      size += items.length;
      return index > 0 && size > this.options.batchMax;
    });
    return this.waiting.splice(0, first === -1 ? this.waiting.length : first);
  }

  private async flush(requests: readonly Request<Item>[]): Promise<void> {
    const admitted = requests.filter((request) => isAdmitted(request));
    try {
      const items = admitted.flatMap((request) => request.items);
      const flushed = items.length === 0 ? nothing<Item>() : await this.options.flush(items);
      for (const request of admitted) settle(request, flushed);
    } catch (error) {
      for (const { reject } of admitted) reject(error);
    } finally {
      this.flushes -= 1;
      this.startFlushes();
    }
  }
}

function nothing<Item>(): FlushResult<Item> {
  return { duplicates: new Set(), failed: new Map() };
}

function settle<Item>({ items, resolve, reject }: Request<Item>, flushed: FlushResult<Item>): void {
  const { duplicates, failed } = flushed;
  const failedItem = failed.size === 0 ? undefined : items.find((item) => failed.has(item));
  if (failedItem === undefined) resolve(duplicates);
  else reject(failed.get(failedItem));
}

function isAdmitted<Item>({ admit, reject }: Request<Item>): boolean {
  try {
    admit();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
