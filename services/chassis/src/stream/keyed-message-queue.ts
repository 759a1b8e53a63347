interface KeyQueue<Item> {
  /** The first item is being handled, or waits for its retry. */
  readonly items: Item[];
  pause: NodeJS.Timeout | undefined;
}

/**
 * Handles items of one key one at a time in the order of arrival, and a bounded number of keys
 * concurrently. Keys alternate, so one with many items does not delay the others. A failed item
 * keeps its place: later items of its key wait until it is done.
 */
export class KeyedMessageQueue<Item> {
  private readonly queues = new Map<string, KeyQueue<Item>>();
  private readonly ready: string[] = [];
  private readonly idleListeners: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly concurrency: number,
    /**
     * Handles an item. Returns the delay before its retry, or undefined when it is done. Must not
     * reject, because the queue does not handle errors.
     */
    private readonly work: (item: Item) => Promise<number | undefined>,
  ) {}

  add(key: string, item: Item): void {
    const queue = this.queues.get(key);
    if (queue !== undefined) {
      queue.items.push(item);
      return;
    }
    this.queues.set(key, { items: [item], pause: undefined });
    this.ready.push(key);
    this.startReady();
  }

  /** Retries paused items immediately. */
  endPauses(): void {
    for (const [key, queue] of this.queues) {
      if (queue.pause !== undefined) this.endPause(key, queue);
    }
  }

  /** Resolves when the queue is empty. */
  idle(): Promise<void> {
    if (this.queues.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleListeners.push(resolve);
    });
  }

  private startReady(): void {
    while (this.running < this.concurrency) {
      const key = this.ready.shift();
      if (key === undefined) return;
      const queue = this.queues.get(key);
      if (queue === undefined) continue;
      this.running += 1;
      void this.runHead(key, queue);
    }
  }

  private async runHead(key: string, queue: KeyQueue<Item>): Promise<void> {
    const [item] = queue.items;
    const retryAfterMs = item === undefined ? undefined : await this.work(item);
    this.running -= 1;
    if (retryAfterMs === undefined) this.advance(key, queue);
    else {
      queue.pause = setTimeout(() => {
        this.endPause(key, queue);
      }, retryAfterMs);
    }
    this.startReady();
  }

  private advance(key: string, queue: KeyQueue<Item>): void {
    queue.items.shift();
    if (queue.items.length > 0) {
      this.ready.push(key);
      return;
    }
    this.queues.delete(key);
    if (this.queues.size === 0) for (const resolve of this.idleListeners.splice(0)) resolve();
  }

  private endPause(key: string, queue: KeyQueue<Item>): void {
    clearTimeout(queue.pause);
    queue.pause = undefined;
    this.ready.push(key);
    this.startReady();
  }
}
