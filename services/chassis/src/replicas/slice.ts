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
