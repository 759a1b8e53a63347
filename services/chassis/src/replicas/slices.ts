/** Condition on documents whose work a replica may take; empty: every document. */
export interface SliceFilter {
  readonly slice?: { readonly $in: readonly (number | null)[] };
}

/** Slices of this replica. */
export interface Slices {
  /** True if this replica takes the work of the id. */
  owns(id: string): boolean;
  /**
   * Returns the condition on documents with a field `slice`; undefined if the replica must not take
   * new work. The same object is returned until the slices change.
   */
  filter(): SliceFilter | undefined;
  /** True if the service has no other living replica, as far as this one knows. */
  readonly isAlone: boolean;
}

const everyDocument: SliceFilter = {};

/** All slices, for a process without replicas. */
export const everySlice: Slices = {
  owns: () => true,
  filter: () => everyDocument,
  // Nothing is known of other processes.
  isAlone: false,
};

/** A count that the replicas of a service share with their heartbeats. */
export interface SharedCount {
  /** The count of this replica, only increasing while it runs. */
  own(): number;
  /** Called after each read with the counts of the other replicas, by replica. */
  observe(counts: ReadonlyMap<string, number>): void;
}
