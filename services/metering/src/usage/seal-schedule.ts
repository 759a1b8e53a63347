import type { Series } from './hour';

/** A series and the real time at which it is due for sealing. */
export type ScheduledSeries = Series & { readonly at: Date };

/** Stores the due times of series. */
export interface SealScheduler {
  scheduleSealing(all: readonly ScheduledSeries[]): Promise<void>;
}

/**
 * Caches due times already stored, so that a series is written once an hour and not with each
 * event. An evicted entry costs one extra write.
 */
export class SealScheduleCache {
  private readonly scheduled = new Map<string, number>();

  constructor(private readonly seriesMax: number) {}

  async schedule(
    scheduler: SealScheduler,
    { environmentId, series }: { environmentId: string; series: readonly ScheduledSeries[] },
  ): Promise<void> {
    const earliest = new Map<string, ScheduledSeries>();
    for (const one of series) {
      const key = `${environmentId}:${one.customerId}:${one.meterId}`;
      const other = earliest.get(key);
      if (other === undefined || one.at < other.at) earliest.set(key, one);
    }
    const fresh = [...earliest].filter(([key, { at }]) => this.scheduled.get(key) !== at.getTime());
    if (fresh.length === 0) return;
    await scheduler.scheduleSealing(fresh.map(([, one]) => one));
    for (const [key, { at }] of fresh) this.cache(key, at.getTime());
  }

  private cache(key: string, at: number): void {
    this.scheduled.delete(key);
    this.scheduled.set(key, at);
    if (this.scheduled.size <= this.seriesMax) return;
    const [oldest] = this.scheduled.keys();
    if (oldest !== undefined) this.scheduled.delete(oldest);
  }
}
