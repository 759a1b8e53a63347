import { Batcher, type Outcome } from '@billing/chassis/batcher';
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
}

type Duplicates<Item> = ReadonlySet<Item>;

/**
 * Stores the items of concurrent requests in batches. The queue is bounded: beyond the limit,
 * callers are asked to retry later.
 */
export class IngestQueue<Item> {
  private readonly requests: Batcher<Request<Item>, Duplicates<Item>>;
  private itemCount = 0;

  constructor(private readonly options: IngestQueueOptions<Item>) {
    const { batchMax, flushesMax } = options;
    this.requests = new Batcher({
      batchMax,
      flushesMax,
      sizeOf: ({ items }) => items.length,
      flush: (requests) => this.flush(requests),
    });
  }

  /**
   * Returns the items that already existed. Rejects if one of this request's items could not be
   * stored. `admit` is called right before the request is sent.
   */
  async store(items: readonly Item[], admit: () => void): Promise<Duplicates<Item>> {
    if (this.itemCount + items.length > this.options.itemsMax) {
      throw new DomainError('resource_exhausted', 'INGEST_FULL', 'Too many requests');
    }
    this.itemCount += items.length;
    try {
      return await this.requests.run({ items, admit });
    } finally {
      this.itemCount -= items.length;
    }
  }

  private async flush(requests: readonly Request<Item>[]): Promise<Outcome<Duplicates<Item>>[]> {
    const refusals = requests.map((request) => refusalOf(request));
    const admitted = requests.filter((_request, index) => refusals[index] === undefined);
    const items = admitted.flatMap((request) => request.items);
    const flushed = items.length === 0 ? nothing<Item>() : await this.options.flush(items);
    return requests.map((request, index) => refusals[index] ?? outcomeOf(request, flushed));
  }
}

function nothing<Item>(): FlushResult<Item> {
  return { duplicates: new Set(), failed: new Map() };
}

function outcomeOf<Item>(
  { items }: Request<Item>,
  { duplicates, failed }: FlushResult<Item>,
): Outcome<Duplicates<Item>> {
  const failedItem = failed.size === 0 ? undefined : items.find((item) => failed.has(item));
  return failedItem === undefined ? { value: duplicates } : { error: failed.get(failedItem) };
}

function refusalOf<Item>({ admit }: Request<Item>): { readonly error: unknown } | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return { error };
  }
}
