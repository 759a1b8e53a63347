/** Lets those that want the same go one after another, in the order in which they came; others never wait for them. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `run` once everything that came before with one of the keys has ended, however it ended. */
  async runExclusive<T>(keys: readonly string[], run: () => Promise<T>): Promise<T> {
    // All keys are taken in one step, so that two can never wait for each other.
    const before = keys.map((key) => this.last.get(key)).filter((turn) => turn !== undefined);
    const turn = Promise.allSettled(before).then(run);
    for (const key of keys) this.last.set(key, turn);
    try {
      return await turn;
    } finally {
      for (const key of keys) if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}
