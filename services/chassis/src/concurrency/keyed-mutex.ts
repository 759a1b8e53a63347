/** Serializes work per key, in the order of arrival. Work of different keys is independent. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `run` once all earlier work for any of the keys has ended, successfully or not. */
  async runExclusive<T>(keys: readonly string[], run: () => Promise<T>): Promise<T> {
    // All keys are acquired in one step, so that two callers can never deadlock.
    const before = keys.map((key) => this.last.get(key)).filter((earlier) => earlier !== undefined);
    const current = Promise.allSettled(before).then(run);
    for (const key of keys) this.last.set(key, current);
    try {
      return await current;
    } finally {
      for (const key of keys) if (this.last.get(key) === current) this.last.delete(key);
    }
  }
}
