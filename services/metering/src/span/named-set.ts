import { flushesOf, type NumberedPart } from '../fold/bucket';
import type { PartHours } from '../fold/merged-parts';
import type { SeriesStorage } from '../fold/series-storage';
import { hourMs, type Span } from '../usage/hour';

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
  {
    isFresh,
    spans,
    cuts = new Set(),
  }: {
    readonly isFresh: boolean;
    /** Only their usage is needed; absent: all usage. */
    readonly spans?: readonly Span[];
    /** Epochs up to which a bucket was folded, other than `until`. */
    readonly cuts?: ReadonlySet<number>;
  },
): Promise<EventSet> {
  const until = await storage.until({ isFresh });
  const hours = spans && { hours: hoursAround(spans) };
  const parts = await storage.parts({ ...hours, cuts: [...cuts, until] });
  return { until, parts };
}

/** Whole hours: where a span cuts an hour, its other half shows whether a part is clear. */
function hoursAround(spans: readonly Span[]): PartHours {
  return {
    from: Math.min(...spans.map(({ start }) => Math.floor(start.getTime() / hourMs))),
    until: Math.max(...spans.map(({ end }) => Math.ceil(end.getTime() / hourMs))),
  };
}

/** Flushes above `until` whose parts were read. */
export function nameOf({ until, parts }: EventSet): NamedSet {
  return { until, flushes: parts.filter(({ epoch }) => epoch > until).flatMap(flushesOf) };
}

/** Returns a test for the events of a set. */
export function isIn({
  until,
  flushes,
}: NamedSet): (event: Pick<NumberedPart, 'epoch' | 'flush'>) => boolean {
  const above = new Set(flushes);
  return ({ epoch, flush }) => epoch <= until || above.has(flush);
}
