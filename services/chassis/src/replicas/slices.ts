import { createHash } from 'node:crypto';

/** Number of slices into which documents are divided. */
export const sliceCount = 64;

/** Returns the slice of a document, derived from its id alone. */
export function sliceOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt8(0) % sliceCount;
}

/**
 * Returns the slices of one of several replicas: slice i belongs to number i mod n of the replicas
 * sorted by id. None for a replica that is not among them.
 */
export function slicesOf(replica: string, replicas: readonly string[]): number[] {
  const number = replicas.toSorted().indexOf(replica);
  return Array.from({ length: sliceCount }, (_, slice) => slice).filter(
    (slice) => slice % replicas.length === number,
  );
}

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
