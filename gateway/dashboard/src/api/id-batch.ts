/** Limit of the filter `ids`. */
const idsMax = 100;

interface Waiting<T> {
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads resources by id. Ids that are requested in one turn of the event loop, such as those of the
 * rows of a table, are read together.
 */
export class IdBatch<T extends { readonly id: string }> {
  private waiting = new Map<string, Waiting<T>[]>();

  /** `read` returns those of at most 100 ids that exist, in any order. */
  constructor(private readonly read: (ids: readonly string[]) => Promise<readonly T[]>) {}

  /** The resource; null for an unknown id. */
  find(id: string): Promise<T | null> {
    if (this.waiting.size === 0) setTimeout(() => void this.readWaiting(), 0);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, [...(this.waiting.get(id) ?? []), { resolve, reject }]);
    });
  }

  private async readWaiting(): Promise<void> {
    const ids = [...this.waiting];
    this.waiting = new Map();
    const parts = Array.from({ length: Math.ceil(ids.length / idsMax) }, (_, index) =>
      ids.slice(index * idsMax, (index + 1) * idsMax),
    );
    await Promise.all(parts.map((part) => this.readPart(part)));
  }

  private async readPart(part: readonly (readonly [string, Waiting<T>[]])[]): Promise<void> {
    try {
      const found = await this.read(part.map(([id]) => id));
      const byId = new Map(found.map((one) => [one.id, one]));
      for (const [id, waiting] of part) {
        for (const { resolve } of waiting) resolve(byId.get(id) ?? null);
      }
    } catch (error) {
      for (const { reject } of part.flatMap(([, waiting]) => waiting)) reject(error);
    }
  }
}
