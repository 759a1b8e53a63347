import { type CustomerName, nameKey } from './customer-directory';
import type { EventInput } from './ingest-input';

type NamedEvent = Pick<EventInput, 'customerId' | 'externalCustomerId'>;

/** Whom the events of a batch are of. A name is looked up once, however many of them bear it. */
export class BatchCustomers {
  private readonly ids: Readonly<Record<CustomerName['kind'], Map<string, string | undefined>>> = {
    id: new Map(),
    externalId: new Map(),
  };

  private constructor() {}

  /** `lookUp` gives the ids of those that are known by their names' keys. */
  static async of(
    events: readonly NamedEvent[],
    lookUp: (names: readonly CustomerName[]) => Promise<ReadonlyMap<string, string>>,
  ): Promise<BatchCustomers> {
    const customers = new BatchCustomers();
    for (const event of events) customers.note(event);
    const names = customers.names();
    const found = await lookUp(names);
    for (const name of names) customers.ids[name.kind].set(name.value, found.get(nameKey(name)));
    return customers;
  }

  /** Undefined for an unknown one. */
  idOf({ customerId, externalCustomerId = '' }: NamedEvent): string | undefined {
    return customerId === undefined
      ? this.ids.externalId.get(externalCustomerId)
      : this.ids.id.get(customerId);
  }

  private note({ customerId, externalCustomerId = '' }: NamedEvent): void {
    if (customerId === undefined) this.ids.externalId.set(externalCustomerId, undefined);
    else this.ids.id.set(customerId, undefined);
  }

  private names(): CustomerName[] {
    const kinds = ['id', 'externalId'] as const;
    return kinds.flatMap((kind) => [...this.ids[kind].keys()].map((value) => ({ kind, value })));
  }
}
