/**
 * Works on items of one key one at a time and in the order in which they came, and on those of other keys meanwhile, so many at a time.
 * Keys take turns: one with many items does not keep the others waiting.
 */
export class MessageLanes<Item> {
  private readonly lanes = new Map<string, Item[]>();
  private readonly ready: string[] = [];
  private readonly idleListeners: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly concurrency: number,
    /** Must not reject: there is nobody who could handle it. */
    private readonly work: (item: Item) => Promise<void>,
  ) {}

  add(key: string, item: Item): void {
    const lane = this.lanes.get(key);
    if (lane !== undefined) {
      lane.push(item);
      return;
    }
    this.lanes.set(key, [item]);
    this.ready.push(key);
    this.startReady();
  }

  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void> {
    if (this.lanes.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleListeners.push(resolve);
    });
  }

  private startReady(): void {
    while (this.running < this.concurrency) {
      const key = this.ready.shift();
      if (key === undefined) return;
      this.running += 1;
      void this.runNext(key);
    }
  }

  private async runNext(key: string): Promise<void> {
    const lane = this.lanes.get(key) ?? [];
    const item = lane.shift();
    try {
      if (item !== undefined) await this.work(item);
    } finally {
      this.running -= 1;
      if (lane.length > 0) this.ready.push(key);
      else this.lanes.delete(key);
      this.startReady();
      if (this.lanes.size === 0) for (const resolve of this.idleListeners.splice(0)) resolve();
    }
  }
}
