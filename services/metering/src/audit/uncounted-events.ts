import { type NumberedPart, partsIn } from '../fold/bucket';
import { partsByHour } from '../fold/entries';
import type { HourTotal } from '../fold/hour-bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { readEventSet } from '../span/named-set';
import { hourMs } from '../usage/hour';

/** Where the events of a series are counted. */
export interface CountedSeries {
  /** All events up to this epoch are in a bucket or a part. */
  readonly until: number;
  /** By hour. */
  readonly parts: ReadonlyMap<number, readonly NumberedPart[]>;
  readonly hours: readonly HourTotal[];
}

/** Hours that are searched for events: from one to before another. */
export interface HourRange {
  readonly from: number;
  readonly to: number;
}

/** An hour with events that are in neither its bucket nor a part. */
export interface UncountedHour {
  readonly hour: number;
  /** Number of events in the bucket and in parts. */
  readonly counted: number;
  /** Number of stored events. */
  readonly stored: number;
}

/** Reads where events are counted: parts before buckets, as reads of usage do. */
export async function readCounted(
  storage: SeriesStorage,
  { from, to }: HourRange,
): Promise<CountedSeries> {
  for (;;) {
    const { until, parts } = await readEventSet(storage, { isFresh: true });
    const hours = await storage.hourTotals(from, to);
    if (hours.some(({ folded }) => folded > until)) continue;
    return { until, parts: partsByHour(parts), hours };
  }
}

/** Splits a range into hours that have a bucket or a part, and the gaps between them. */
export function rangesOf({ parts, hours }: CountedSeries, { from, to }: HourRange): HourRange[] {
  const known = new Set([...hours.map(({ hour }) => hour), ...parts.keys()]);
  const ranges: HourRange[] = [];
  let next = from;
  for (const hour of [...known].toSorted((a, b) => a - b)) {
    if (hour < from || hour >= to) continue;
    if (hour > next) ranges.push({ from: next, to: hour });
    next = hour + 1;
    ranges.push({ from: hour, to: next });
  }
  return next < to ? [...ranges, { from: next, to }] : ranges;
}

/**
 * Finds hours with more stored events than are counted. Events of earlier versions, which have no
 * flush, are left out: no part has them before their series is taken over.
 */
export async function findUncounted(
  storage: SeriesStorage,
  counted: CountedSeries,
  { from, to }: HourRange,
): Promise<{ readonly searched: number; readonly uncounted: readonly UncountedHour[] }> {
  const stored = new Map<number, number>();
  const span = { start: new Date(from * hourMs), end: new Date(to * hourMs) };
  let searched = 0;
  for await (const { at, epoch, flush } of storage.events(span)) {
    if (flush === '' || epoch > counted.until) continue;
    const hour = Math.floor(at.getTime() / hourMs);
    stored.set(hour, (stored.get(hour) ?? 0) + 1);
    searched += 1;
  }
  const uncounted = [...stored]
    .map(([hour, events]) => ({ hour, counted: countedIn(counted, hour), stored: events }))
    .filter((one) => one.stored > one.counted)
    .toSorted((a, b) => a.hour - b.hour);
  return { searched, uncounted };
}

function countedIn({ until, parts, hours }: CountedSeries, hour: number): number {
  const bucket = hours.find((one) => one.hour === hour);
  const folded = bucket?.folded ?? 0;
  const fresh = partsIn(parts.get(hour) ?? [], { above: folded, upTo: until });
  const minutes = fresh.flatMap((part) => part.minutes);
  return minutes.reduce((sum, [, events]) => sum + events, bucket?.total.events ?? 0);
}
