/** Writes of this process to one collection of a database. */
export interface OwnWrites {
  /** Number of writes that have begun. */
  begun: number;
  /** Number of writes that have not ended. */
  inFlight: number;
}

const writesOf = new WeakMap<object, OwnWrites>();

/** Writes of this process to a collection of a service's database; undefined if not counted. */
export function ownWritesTo(collection: object): OwnWrites | undefined {
  return writesOf.get(collection);
}

/** Writes to the collections of one database, by name. */
export class OwnWritesByName {
  private readonly byName = new Map<string, OwnWrites>();

  /** Makes the writes to the collection of a name known for one of the objects that send them. */
  register(collection: object, name: string): OwnWrites {
    const writes = this.byName.get(name) ?? { begun: 0, inFlight: 0 };
    this.byName.set(name, writes);
    writesOf.set(collection, writes);
    return writes;
  }
}

/** Counts a write from its begin to its end, also if it fails. */
export function countWrite<T>(writes: OwnWrites, write: () => Promise<T>): Promise<T> {
  writes.begun += 1;
  writes.inFlight += 1;
  const end = () => {
    writes.inFlight -= 1;
  };
  const outcome = write();
  // The same promise is returned, so that counting does not delay the caller.
  outcome.then(end, end);
  return outcome;
}
