import { sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { FeedStore } from './feed-store';

export interface FeedWatchDependencies {
  readonly feed: Pick<FeedStore, 'lastPosition'>;
  readonly logger: Logger;
  /** Interval at which appends of other processes are looked for. */
  readonly pollEveryMs: number;
}

/** A reader that waits for a position after the one it knows. */
interface Waiter {
  readonly after: number;
  readonly wake: () => void;
}

/**
 * Wakes readers when the feed of their environment grows: at once after an append of this process,
 * by polling after one of another process.
 */
export class FeedWatch {
  private readonly waiters = new Map<string, Set<Waiter>>();
  /** By environment with waiters: the newest position that is known. */
  private readonly newest = new Map<string, number>();
  private polling: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly dependencies: FeedWatchDependencies) {}

  /** Wakes the readers that wait for a position up to `newest`. */
  grow(environmentId: string, newest: number): void {
    const waiting = this.waiters.get(environmentId);
    if (waiting === undefined) return;
    this.newest.set(environmentId, Math.max(newest, this.newest.get(environmentId) ?? 0));
    for (const waiter of waiting) if (waiter.after < newest) waiter.wake();
  }

  /**
   * Runs a read with a wait for growth after a position. Growth between the begin of the read and
   * its wait counts.
   */
  async watching<T>(
    environmentId: string,
    read: (
      waitBeyond: (after: number, ms: number, signal: AbortSignal) => Promise<void>,
    ) => Promise<T>,
  ): Promise<T> {
    const waiting = this.waiters.get(environmentId) ?? new Set<Waiter>();
    this.waiters.set(environmentId, waiting);
    const present: Waiter = { after: Infinity, wake: () => undefined };
    waiting.add(present);
    try {
      return await read((after, ms, signal) => this.wait({ environmentId, after, ms, signal }));
    } finally {
      waiting.delete(present);
      if (waiting.size === 0) {
        this.waiters.delete(environmentId);
        this.newest.delete(environmentId);
      }
    }
  }

  /** Ends every wait. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.polling;
  }

  /** True once waits end at once. */
  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async wait({
    environmentId,
    after,
    ms,
    signal,
  }: {
    environmentId: string;
    after: number;
    ms: number;
    signal: AbortSignal;
  }): Promise<void> {
    if ((this.newest.get(environmentId) ?? 0) > after) return;
    const woken = new AbortController();
    const waiter = {
      after,
      wake: () => {
        woken.abort();
      },
    };
    this.waiters.get(environmentId)?.add(waiter);
    this.polling ??= this.poll().finally(() => {
      this.polling = undefined;
    });
    await sleep(ms, AbortSignal.any([signal, woken.signal, this.stopping.signal]));
    this.waiters.get(environmentId)?.delete(waiter);
  }

  /** Looks for growth until no reader waits. */
  private async poll(): Promise<void> {
    const { feed, logger, pollEveryMs } = this.dependencies;
    while (this.waiters.size > 0 && !this.stopping.signal.aborted) {
      await sleep(pollEveryMs, this.stopping.signal);
      for (const environmentId of [...this.waiters.keys()]) {
        try {
          this.grow(environmentId, await feed.lastPosition(environmentId));
        } catch (error) {
          logger.warn({ err: error, environmentId }, 'reading feed position failed, retrying');
        }
      }
    }
  }
}
