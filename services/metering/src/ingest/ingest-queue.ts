import { Batcher, type Outcome } from '@billing/chassis/batcher';
import { DomainError } from '@billing/kernel/domain-error';

/** Result of one command. All other items were stored. */
export interface FlushResult<Item, Stored> {
  /** Items that already existed, as they are stored. */
  readonly repeats: ReadonlyMap<Item, Stored>;
  /** Items that could not be stored, with the error. */
  readonly failed: ReadonlyMap<Item, Error>;
}

/** Batch and queue limits. */
export interface IngestQueueOptions<Item, Stored> {
  /** Stores items in one command. A rejection fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<FlushResult<Item, Stored>>;
  /** Items per command; a single request is never split. */
  readonly batchMax: number;
  /** Concurrent commands. */
  readonly flushesMax: number;
  /** Minimum time between two commands. */
  readonly spacingMs: number;
  /** Items queued or in flight; more are refused. */
  readonly itemsMax: number;
}

interface Request<Item> {
  readonly items: readonly Item[];
  /** Throws if the deadline has passed. */
  readonly admit: () => void;
}

type Repeats<Item, Stored> = ReadonlyMap<Item, Stored>;

/**
 * Stores the items of concurrent requests in batches. The queue is bounded: beyond the limit,
 * callers are asked to retry later.
 */
export class IngestQueue<Item, Stored> {
  private readonly requests: Batcher<Request<Item>, Repeats<Item, Stored>>;
  private itemCount = 0;

  constructor(private readonly options: IngestQueueOptions<Item, Stored>) {
    const { batchMax, flushesMax, spacingMs } = options;
    this.requests = new Batcher({
      batchMax,
      flushesMax,
      spacingMs,
      sizeOf: ({ items }) => items.length,
      flush: (requests) => this.flush(requests),
    });
  }

  /**
   * Returns the items that already existed, as they are stored. Rejects if one of this request's
   * items could not be stored. `admit` is called right before the request is sent.
   */
  async store(items: readonly Item[], admit: () => void): Promise<Repeats<Item, Stored>> {
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

  private async flush(
    requests: readonly Request<Item>[],
  ): Promise<Outcome<Repeats<Item, Stored>>[]> {
    const refusals = requests.map((request) => refusalOf(request));
    const admitted = requests.filter((_request, index) => refusals[index] === undefined);
    const items = admitted.flatMap((request) => request.items);
    const flushed = items.length === 0 ? nothing<Item, Stored>() : await this.options.flush(items);
    return requests.map((request, index) => refusals[index] ?? outcomeOf(request, flushed));
  }
}

function nothing<Item, Stored>(): FlushResult<Item, Stored> {
  return { repeats: new Map(), failed: new Map() };
}

function outcomeOf<Item, Stored>(
  { items }: Request<Item>,
  { repeats, failed }: FlushResult<Item, Stored>,
): Outcome<Repeats<Item, Stored>> {
  const failedItem = failed.size === 0 ? undefined : items.find((item) => failed.has(item));
  return failedItem === undefined ? { value: repeats } : { error: failed.get(failedItem) };
}

function refusalOf<Item>({ admit }: Request<Item>): { readonly error: unknown } | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return { error };
  }
}
