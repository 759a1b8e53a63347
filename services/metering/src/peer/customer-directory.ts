import { monotonicMs } from '@billing/chassis/clock';

/** Reference to a customer: by id, or by the caller's external id. */
export interface CustomerName {
  readonly kind: 'id' | 'externalId';
  readonly value: string;
}

/** Finds the ids of customers in one call, keyed by name key. Unknown customers are left out. */
export type FindCustomers = (
  names: readonly CustomerName[],
) => Promise<ReadonlyMap<string, string>>;

// Another replica may be told that a customer was deleted. A deletion ends 20 s later what was
// accepted in between. An external id may belong to another customer 2 s after a deletion.
const cachedMsMax: Readonly<Record<CustomerName['kind'], number>> = {
  id: 5_000,
  externalId: 1_000,
};

interface KnownCustomer {
  readonly id: string;
  /** Time from which the entry is invalid. */
  readonly untilMs: number;
}

/**
 * Caches known customers. A customer never changes its id or external id, and is seldom deleted, so
 * entries stay valid for a while after the call that found them began. Unknown names are not
 * cached, because the customer may be created at any time. Evicts the least recently used entry
 * first.
 */
export class CustomerDirectory {
  private readonly known = new Map<string, KnownCustomer>();

  constructor(
    private readonly customersMax: number,
    private readonly nowMs: () => number = monotonicMs,
  ) {}

  /** Evicts a deleted customer, under all names. */
  forget(environmentId: string, customerId: string): void {
    for (const [key, { id }] of this.known) {
      if (id === customerId && key.startsWith(environmentId)) this.known.delete(key);
    }
  }

  /**
   * Returns the ids of an environment's customers, keyed by name key; unknown ones are left out.
   * Makes at most one call.
   */
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
    const askedAtMs = this.nowMs();
    for (const [key, id] of await ask([...missing.values()])) {
      found.set(key, id);
      const kind = missing.get(key)?.kind ?? 'externalId';
      this.cache(`${environmentId}:${key}`, { id, untilMs: askedAtMs + cachedMsMax[kind] });
    }
    return found;
  }

  private recall(key: string): string | undefined {
    const found = this.known.get(key);
    if (found === undefined) return undefined;
    this.known.delete(key);
    if (this.nowMs() >= found.untilMs) return undefined;
    this.known.set(key, found);
    return found.id;
  }

  private cache(key: string, customer: KnownCustomer): void {
    this.known.set(key, customer);
    if (this.known.size <= this.customersMax) return;
    const [oldest] = this.known.keys();
    if (oldest !== undefined) this.known.delete(oldest);
  }
}

/** Key of a customer reference within one environment. */
export function nameKey({ kind, value }: CustomerName): string {
  return `${kind}:${value}`;
}
