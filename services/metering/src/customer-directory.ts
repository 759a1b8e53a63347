/** How a caller names a customer: by the id, or by the one that the caller gave it. */
export interface CustomerName {
  readonly kind: 'id' | 'externalId';
  readonly value: string;
}

/** Asks for the ids of customers, of all names at once; gives them by their names' keys, without unknown ones. */
export type FindCustomers = (
  names: readonly CustomerName[],
) => Promise<ReadonlyMap<string, string>>;

/**
 * Remembers customers that are known. They are never deleted and never change these names, so what is remembered stays true; unknown ones
 * are asked for each time, because they may come to be at any moment. The one looked up longest ago is forgotten first.
 */
export class CustomerDirectory {
  private readonly known = new Map<string, string>();

  constructor(private readonly customersMax: number) {}

  /** The ids of customers of an environment, by their names' keys; unknown ones are left out. Asks at most once. */
  async find(
    environmentId: string,
    names: Iterable<CustomerName>,
    ask: FindCustomers,
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const missing = new Map<string, CustomerName>();
    for (const name of names) {
      const key = nameKey(name);
      const id = this.recall(`${environmentId}:${key}`);
      if (id === undefined) missing.set(key, name);
      else found.set(key, id);
    }
    if (missing.size === 0) return found;
    for (const [key, id] of await ask([...missing.values()])) {
      found.set(key, id);
      this.remember(`${environmentId}:${key}`, id);
    }
    return found;
  }

  private recall(key: string): string | undefined {
    const id = this.known.get(key);
    if (id === undefined) return undefined;
    this.known.delete(key);
    this.known.set(key, id);
    return id;
  }

  private remember(key: string, id: string): void {
    this.known.set(key, id);
    if (this.known.size <= this.customersMax) return;
    const [oldest] = this.known.keys();
    if (oldest !== undefined) this.known.delete(oldest);
  }
}

/** Stands for a name among others of one environment. */
export function nameKey({ kind, value }: CustomerName): string {
  return `${kind}:${value}`;
}
