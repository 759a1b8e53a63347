import type { NumberedPart } from '../fold/bucket';
import type { SeriesStorage } from '../fold/series-storage';

/** Names the events of a read permanently: all up to an epoch, and those of some flushes above. */
export interface NamedSet {
  readonly until: number;
  readonly flushes: readonly string[];
}

/** A stored set. The driver returns integers as number or bigint. */
export interface StoredSet extends Pick<NamedSet, 'flushes'> {
  readonly until: number | bigint;
}

export function fromStoredSet({ until, flushes }: StoredSet): NamedSet {
  return { until: Number(until), flushes };
}

/** The events of a read, with the parts of the series. */
export interface EventSet {
  readonly until: number;
  readonly parts: readonly NumberedPart[];
}

/**
 * Reads the parts of a series. Buckets are read afterwards: parts that are deleted in between are
 * then in the buckets.
 */
export async function readEventSet(
  storage: SeriesStorage,
  options: { readonly isFresh: boolean },
): Promise<EventSet> {
  const until = await storage.until(options);
  const parts = await storage.parts();
  return { until, parts };
}

/** Flushes above `until` whose parts were read. */
export function nameOf({ until, parts }: EventSet): NamedSet {
  return { until, flushes: parts.filter(({ epoch }) => epoch > until).map(({ flush }) => flush) };
}

/** Returns a test for the events of a set. */
export function isIn({
  until,
  flushes,
}: NamedSet): (event: Pick<NumberedPart, 'epoch' | 'flush'>) => boolean {
  const above = new Set(flushes);
  return ({ epoch, flush }) => epoch <= until || above.has(flush);
}
