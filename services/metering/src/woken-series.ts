import type { Series } from './usage-hour';

/** A series and the real time at which it is due for sealing. */
export type WakeUp = Series & { readonly at: Date };

/** Stores the due times of series. */
export interface Waker {
  wake(all: readonly WakeUp[]): Promise<void>;
}

/**
 * Caches due times already stored, so that a series is written once an hour and not with each
 * event. An evicted entry costs one extra write.
 */
export class WokenSeries {
  private readonly woken = new Map<string, number>();

  constructor(private readonly seriesMax: number) {}

  async wake(
    waker: Waker,
    { environmentId, series }: { environmentId: string; series: readonly WakeUp[] },
  ): Promise<void> {
    const earliest = new Map<string, WakeUp>();
    for (const one of series) {
      const key = `${environmentId}:${one.customerId}:${one.meterId}`;
      const other = earliest.get(key);
      if (other === undefined || one.at < other.at) earliest.set(key, one);
    }
    const fresh = [...earliest].filter(([key, { at }]) => this.woken.get(key) !== at.getTime());
    if (fresh.length === 0) return;
    await waker.wake(fresh.map(([, one]) => one));
    for (const [key, { at }] of fresh) this.remember(key, at.getTime());
  }

  private remember(key: string, at: number): void {
    this.woken.delete(key);
    this.woken.set(key, at);
    if (this.woken.size <= this.seriesMax) return;
    const [oldest] = this.woken.keys();
    if (oldest !== undefined) this.woken.delete(oldest);
  }
}
