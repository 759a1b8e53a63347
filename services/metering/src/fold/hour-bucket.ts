import type { PartMinute } from '../flush/part';
import type { Aggregation } from '../meter/aggregation';
import { hourMs, type Span } from '../usage/hour';
import {
  addedTo,
  type BareTotal,
  type Bucket,
  emptyBucket,
  type EpochRange,
  type NumberedPart,
  partsIn,
} from './bucket';
import { entriesIn, mergedMinutes, minuteMs, unitSpan } from './entries';

/**
 * The halves of a minute in which a period starts or ends, counted from raw events. Valid for one
 * version of the hour.
 */
export interface CutMinute {
  readonly at: Date;
  readonly version: number;
  readonly before: BareTotal;
  readonly after: BareTotal;
}

/** Total of one hour of a series. */
export interface HourTotal extends Bucket {
  /** Hours since 1970. */
  readonly hour: number;
}

/** Usage of one hour of a series, by minute. */
export interface HourBucket extends HourTotal {
  /** At most 60, in order of time. None for UNIQUE_COUNT. */
  readonly minutes: readonly PartMinute[];
  readonly cuts: readonly CutMinute[];
}

/** A changed bucket, and the distinct values to merge into those it has. */
export interface FoldedBucket<B extends Bucket> {
  readonly bucket: B;
  readonly values: readonly Buffer[];
}

const cutsMax = 8;

export function emptyHour(hour: number): HourBucket {
  return { ...emptyBucket, hour, minutes: [], cuts: [] };
}

/** False for a total that an earlier version has counted: some of its events are in no minute. */
export function hasMinutes({ minutes, total }: HourBucket): boolean {
  return minutes.reduce((sum, [, events]) => sum + events, 0) === total.events;
}

/** Adds the parts of an hour that it does not contain yet; undefined if there are none. */
export function foldIntoHour(
  aggregation: Aggregation,
  hour: HourBucket,
  { parts, upTo }: { readonly parts: readonly NumberedPart[] } & Pick<EpochRange, 'upTo'>,
): FoldedBucket<HourBucket> | undefined {
  const fresh = partsIn(parts, { above: hour.folded, upTo });
  const entries = entriesIn(aggregation, fresh, unitSpan(hour.hour, hourMs));
  if (entries.parts === 0) return undefined;
  const bucket = addedTo(aggregation, hour, { total: entries.total, folded: upTo });
  const minutes =
    aggregation === 'UNIQUE_COUNT'
      ? []
      : mergedMinutes(aggregation, [hour.minutes, ...fresh.map((part) => part.minutes)]);
  return { bucket: { ...bucket, hour: hour.hour, minutes, cuts: [] }, values: entries.values };
}

/** Cuts of an hour with one more; of more than 8, the oldest is dropped. */
export function withCut(hour: HourBucket, cut: Omit<CutMinute, 'version'>): HourBucket {
  const { version } = hour;
  const others = hour.cuts.filter(
    (one) => one.version === version && one.at.getTime() !== cut.at.getTime(),
  );
  return { ...hour, cuts: [...others, { ...cut, version }].slice(-cutsMax) };
}

/** The stored total of a piece of a minute that starts or ends at a cut. */
export function cutTotal({ version, cuts }: HourBucket, piece: Span): BareTotal | undefined {
  const find = (at: Date) =>
    cuts.find((cut) => cut.version === version && cut.at.getTime() === at.getTime());
  if (piece.end.getTime() % minuteMs === 0) return find(piece.start)?.after;
  if (piece.start.getTime() % minuteMs === 0) return find(piece.end)?.before;
  // Both edges are inside the minute.
  return undefined;
}
