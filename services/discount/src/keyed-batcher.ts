interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Batches concurrent items per key: items that arrive while a batch of their key runs form the next
 * batch. Different keys run concurrently.
 */
export class KeyedBatcher<Item, Result> {
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();

  /** `run` returns one result per item, in order. An error rejects the whole batch. */
  add(
    key: string,
    item: Item,
    run: (items: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(key);
      if (waiting !== undefined) {
        waiting.push({ item, resolve, reject });
        return;
      }
      this.waiting.set(key, [{ item, resolve, reject }]);
      void this.runAll(key, run);
    });
  }

  private async runAll(
    key: string,
    run: (items: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<void> {
    for (;;) {
      const batch = this.waiting.get(key) ?? [];
      if (batch.length === 0) break;
      this.waiting.set(key, []);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [place, { resolve }] of batch.entries()) resolve(results[place] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.waiting.delete(key);
  }
}
