/** A series, by its key. */
interface KeyedSeries {
  readonly k: string;
}

/** An event of a flush. */
interface FlushedItem {
  readonly document: KeyedSeries;
}

/** Stores due times of folds. */
export interface FoldScheduler<Series extends KeyedSeries> {
  wake(woken: readonly Series[], now: Date): Promise<void>;
  request(keys: readonly string[], now: Date): Promise<void>;
}

/** A series that this process has woken. */
interface Awake {
  readonly sinceMs: number;
  /** Flushes since the last request. */
  flushes: number;
}

/**
 * Time for which a series need not be woken again. Shorter than the time to its fold by more than
 * the difference of two clocks: a series does not sleep while a process takes it for awake.
 */
const wakeEveryMs = 50 * 60_000;
/** Parts of a series, as far as this process knows, that are folded at once. */
const partsMax = 64;

/** About 250 bytes each. */
export const seriesMax = 100_000;

/**
 * Wakes series before they get events, and has them folded when many parts are waiting. Caches
 * the series that were used last, so that few flushes write anything. An evicted entry costs one
 * write.
 */
export class FoldWakes<Series extends KeyedSeries> {
  /** In the order of their last use. */
  private readonly awake = new Map<string, Awake>();

  constructor(
    private readonly scheduler: FoldScheduler<Series>,
    private readonly randomByte: () => number,
    private readonly cachedMax = seriesMax,
  ) {}

  /** Wakes series that sleep. Called before their events are queued. */
  async wake(series: readonly Series[], now: Date): Promise<void> {
    const asleep = series.filter(({ k }) => !this.isAwake(k, now));
    if (asleep.length > 0) await this.scheduler.wake(asleep, now);
    for (const { k } of asleep) {
      const flushes = this.awake.get(k)?.flushes ?? this.firstCount();
      this.cache(k, { sinceMs: now.getTime(), flushes });
    }
  }

  /** Counts a flush, which adds a part to each of its series. Called before it is stored. */
  async beforeFlush(items: readonly FlushedItem[], now: Date): Promise<void> {
    const full: string[] = [];
    for (const k of new Set(items.map(({ document }) => document.k))) {
      const one = this.awake.get(k);
      if (one === undefined) continue;
      one.flushes += 1;
      if (one.flushes < partsMax) continue;
      one.flushes = 0;
      full.push(k);
    }
    if (full.length > 0) await this.scheduler.request(full, now);
  }

  private isAwake(k: string, now: Date): boolean {
    const one = this.awake.get(k);
    if (one === undefined || now.getTime() - one.sinceMs >= wakeEveryMs) return false;
    this.cache(k, one);
    return true;
  }

  /**
   * Any count: series that are evicted before each flush, because there are so many, are folded
   * every 64 flushes on average, too.
   */
  private firstCount(): number {
    return this.randomByte() % partsMax;
  }

  private cache(k: string, one: Awake): void {
    this.awake.delete(k);
    this.awake.set(k, one);
    if (this.awake.size <= this.cachedMax) return;
    const [oldest] = this.awake.keys();
    if (oldest !== undefined) this.awake.delete(oldest);
  }
}
