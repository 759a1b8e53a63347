import { DomainError } from '@billing/kernel/domain-error';

/** What became of the items of one command; the others are stored. */
export interface Flushed<Item> {
  /** Stood there already. */
  readonly taken: ReadonlySet<Item>;
  /** Are not stored, and why. */
  readonly failed: ReadonlyMap<Item, Error>;
}

/** How much goes together and how much may wait. */
export interface IngestQueueOptions<Item> {
  /** Stores items in one command. Rejecting fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<Flushed<Item>>;
  /** Items of one command; a single request is never cut. */
  readonly batchMax: number;
  /** Commands under way at once. */
  readonly flushesMax: number;
  /** Items that may be waiting or under way; more are refused. */
  readonly itemsMax: number;
}

interface Request<Item> {
  readonly items: readonly Item[];
  /** Throws where it is too late. */
  readonly admit: () => void;
  readonly resolve: (taken: ReadonlySet<Item>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts small requests together while the database is busy. A request that comes when little is under way goes at once, so nothing waits for
 * company. What waits is bounded: beyond that, callers are told to come back.
 */
export class IngestQueue<Item> {
  private waiting: Request<Item>[] = [];
  private flushes = 0;
  private held = 0;

  constructor(private readonly options: IngestQueueOptions<Item>) {}

  /**
   * Gives the items that stood there already. Rejects where one of them could not be stored, whatever became of others' items. `admit` is
   * asked right before the request is sent.
   */
  async store(items: readonly Item[], admit: () => void): Promise<ReadonlySet<Item>> {
    if (this.held + items.length > this.options.itemsMax) {
      throw new DomainError('resource_exhausted', 'INGEST_FULL', 'Too many requests');
    }
    this.held += items.length;
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.push({ items, admit, resolve, reject });
        this.startFlushes();
      });
    } finally {
      this.held -= items.length;
    }
  }

  private startFlushes(): void {
    while (this.flushes < this.options.flushesMax && this.waiting.length > 0) {
      this.flushes += 1;
      void this.flush(this.takeBatch());
    }
  }

  private takeBatch(): Request<Item>[] {
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

function nothing<Item>(): Flushed<Item> {
  return { taken: new Set(), failed: new Map() };
}

function settle<Item>({ items, resolve, reject }: Request<Item>, flushed: Flushed<Item>): void {
  const { taken, failed } = flushed;
  const unlucky = failed.size === 0 ? undefined : items.find((item) => failed.has(item));
  if (unlucky === undefined) resolve(taken);
  else reject(failed.get(unlucky));
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
