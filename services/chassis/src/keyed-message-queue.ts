interface Lane<Item> {
  /** The first one is being worked on, or is repeated after a pause. */
  readonly items: Item[];
  pause: NodeJS.Timeout | undefined;
}

/**
 * Works on items of one key one at a time and in the order in which they came, and on those of other keys in the meantime, so many at a time.
 * Keys take turns: one with many items does not keep the others waiting. An item that fails keeps its place: the later ones of its key
 * wait until it is done.
 */
export class KeyedMessageQueue<Item> {
  private readonly lanes = new Map<string, Lane<Item>>();
  private readonly ready: string[] = [];
  private readonly idleListeners: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly concurrency: number,
    /**
     * Gives the time after which the item is worked on again, nothing if it is done. Must not reject: there is nobody who could handle it.
     */
    private readonly work: (item: Item) => Promise<number | undefined>,
  ) {}

  add(key: string, item: Item): void {
    const lane = this.lanes.get(key);
    if (lane !== undefined) {
      lane.items.push(item);
      return;
    }
    this.lanes.set(key, { items: [item], pause: undefined });
    this.ready.push(key);
    this.startReady();
  }

  /** Works at once on what is paused. */
  endPauses(): void {
    for (const [key, lane] of this.lanes) {
      if (lane.pause !== undefined) this.endPause(key, lane);
    }
  }

  /** Resolves when nothing is left. */
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
      const lane = this.lanes.get(key);
      if (lane === undefined) continue;
      this.running += 1;
      void this.runFirst(key, lane);
    }
  }

  private async runFirst(key: string, lane: Lane<Item>): Promise<void> {
    const [item] = lane.items;
    const retryAfterMs = item === undefined ? undefined : await this.work(item);
    this.running -= 1;
    if (retryAfterMs === undefined) this.leave(key, lane);
    else {
      lane.pause = setTimeout(() => {
        this.endPause(key, lane);
      }, retryAfterMs);
    }
    this.startReady();
  }

  private leave(key: string, lane: Lane<Item>): void {
    lane.items.shift();
    if (lane.items.length > 0) {
      this.ready.push(key);
      return;
    }
    this.lanes.delete(key);
    if (this.lanes.size === 0) for (const resolve of this.idleListeners.splice(0)) resolve();
  }

  private endPause(key: string, lane: Lane<Item>): void {
    clearTimeout(lane.pause);
    lane.pause = undefined;
    this.ready.push(key);
    this.startReady();
  }
}
