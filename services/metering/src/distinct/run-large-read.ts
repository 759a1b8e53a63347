import { Semaphore } from '@billing/chassis/semaphore';

/** Values that a read merges without waiting for others. */
const valuesFree = 100_000;
/** Larger reads that run at the same time for one environment. */
const readsMax = 4;

/** Limits concurrent reads of many distinct values per environment. */
export class LargeReads {
  private readonly running = new Map<string, Semaphore>();

  /** Number of reads that wait. */
  get waiting(): number {
    return [...this.running.values()].reduce((sum, { queued }) => sum + queued, 0);
  }

  /** Waits for a slot if the read is large. A call whose signal aborts stops waiting. */
  async run<T>(
    { environmentId, values }: { readonly environmentId: string; readonly values: number },
    read: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (values <= valuesFree) return read();
    const slots = this.running.get(environmentId) ?? new Semaphore(readsMax);
    this.running.set(environmentId, slots);
    try {
      return await slots.run(read, signal);
    } finally {
      if (slots.inUse === 0) this.running.delete(environmentId);
    }
  }
}
