import { type CustomerName, nameKey } from '../peer/customer-directory';
import type { EventInput } from './input';

type NamedEvent = Pick<EventInput, 'customerId' | 'externalCustomerId'>;

/**
 * Customers of the events of a batch. Each name is looked up once, however many events carry it.
 */
export class BatchCustomers {
  private readonly ids: Readonly<Record<CustomerName['kind'], Map<string, string | undefined>>> = {
    id: new Map(),
    externalId: new Map(),
  };

  private constructor() {}

  /** `lookUp` returns the ids of known customers, keyed by name key. */
  static async of(
    events: readonly NamedEvent[],
    lookUp: (names: readonly CustomerName[]) => Promise<ReadonlyMap<string, string>>,
  ): Promise<BatchCustomers> {
    const customers = new BatchCustomers();
    for (const event of events) customers.add(event);
    const names = customers.names();
    const found = await lookUp(names);
    for (const name of names) customers.ids[name.kind].set(name.value, found.get(nameKey(name)));
    return customers;
  }

  /** Undefined for an unknown customer. */
  idOf({ customerId, externalCustomerId = '' }: NamedEvent): string | undefined {
    return customerId === undefined
      ? this.ids.externalId.get(externalCustomerId)
      : this.ids.id.get(customerId);
  }

  private add({ customerId, externalCustomerId = '' }: NamedEvent): void {
    if (customerId === undefined) this.ids.externalId.set(externalCustomerId, undefined);
    else this.ids.id.set(customerId, undefined);
  }

  private names(): CustomerName[] {
    const kinds = ['id', 'externalId'] as const;
    return kinds.flatMap((kind) => [...this.ids[kind].keys()].map((value) => ({ kind, value })));
  }
}
