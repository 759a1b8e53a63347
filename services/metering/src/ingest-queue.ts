import { DomainError } from '@billing/kernel/domain-error';

/** How much goes together and how much may wait. */
export interface IngestQueueOptions<Item> {
  /** Stores items in one command and gives those that stood there already. */
  readonly flush: (items: readonly Item[]) => Promise<ReadonlySet<Item>>;
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

  /** Gives the items that stood there already. `admit` is asked right before the request is sent. */
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
      const taken = items.length === 0 ? new Set<Item>() : await this.options.flush(items);
      for (const { resolve } of admitted) resolve(taken);
    } catch (error) {
      for (const { reject } of admitted) reject(error);
    } finally {
      this.flushes -= 1;
      this.startFlushes();
    }
  }
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
