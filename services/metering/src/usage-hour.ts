import type { Aggregation, MeasuredEvent, PartialTotal } from './aggregation';

/** Usage of one meter by one customer. */
export interface Series {
  readonly customerId: string;
  readonly meterId: string;
}

/** One hour of a series, by its beginning. */
export interface SeriesHour extends Series {
  readonly hour: Date;
}

/** How the events of a series are counted. */
export interface MeasuredSeries extends Series {
  readonly aggregation: Aggregation;
  /** Of UNIQUE_COUNT alone. */
  readonly uniqueProperty: string | null;
}

/** A span of time, [start, end). */
export interface Span {
  readonly start: Date;
  readonly end: Date;
}

/** A batch that may be inserting events into an hour. */
export interface PendingBatch {
  readonly id: string;
  /** Real time at which it announced itself. */
  readonly at: Date;
}

/** What is known of one hour of a series besides its events. */
export interface UsageHour {
  readonly hour: Date;
  /** Counts changes. */
  readonly version: number;
  readonly pending: readonly PendingBatch[];
  /** Of all events of the hour; null: they must be counted. */
  readonly total: PartialTotal | null;
}

/** What has happened to one hour of a series. */
export interface HourVersion extends Pick<UsageHour, 'hour' | 'version'> {
  readonly isPending: boolean;
  /** In its total; 0 where there is none. */
  readonly events: number;
}

/**
 * Where usage is kept. Each call is one step that may be cut off from the next one by a crash, and may take place although its answer
 * was lost.
 */
export interface UsageStorage {
  /** Announces a batch in hours, which are made where they are not there, and takes their totals away. */
  beginLate(hours: readonly SeriesHour[], batch: PendingBatch): Promise<void>;
  /** Takes a batch out of hours, and their totals with it. */
  finishLate(hours: readonly SeriesHour[], batchId: string): Promise<void>;
  /** Hours that are kept, in a span. */
  hoursIn(series: Series, span: Span): Promise<readonly UsageHour[]>;
  /** Hours before an instant whose total is missing. */
  hoursWithoutTotal(series: Series, before: Date): Promise<readonly UsageHour[]>;
  /** Keeps a total where the hour still has the version that was read; `undefined` stands for an hour that was not there. */
  seal(
    series: Series,
    hour: Pick<UsageHour, 'hour'> & { readonly version: number | undefined },
    total: PartialTotal,
  ): Promise<boolean>;
  /** Forgets batches that announced themselves before an instant, and the total; nothing where the version is another one. */
  dropPending(series: Series, hour: UsageHour, before: Date): Promise<boolean>;
  /** Before this instant, hours that are not kept have no events; null: nothing is known. */
  sealedUntil(series: Series): Promise<Date | null>;
  /** Moves that instant on, never back. */
  moveSealedUntil(series: Series, until: Date): Promise<void>;
  /** The events of a span, in any order. */
  eventsIn(series: MeasuredSeries, span: Span): AsyncIterable<MeasuredEvent>;
  /** The time of the first or the last event. */
  edgeOf(series: Series, edge: 'first' | 'last'): Promise<Date | null>;
}

export const hourMs = 3_600_000;
/** An hour may be sealed so long after its end. */
export const sealAfterMs = 10 * 60_000;
/** A batch that announced itself so long ago has ended, one way or another. */
export const pendingMsMax = 10 * 60_000;
/**
 * The longest that an insert can take from its decision to its effect: the deadline of ingest, repeats, a connection that hangs until its
 * socket times out, and clocks of two machines that differ.
 */
const insertMsMax = 4 * 60_000;

/** The hour that an instant lies in, by its beginning. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** The end of an hour. */
export function endOfHour(hour: Date): Date {
  return new Date(hour.getTime() + hourMs);
}

/** Whether an event may be inserted without further ado: nobody can have sealed its hour by the time it stands there. */
export function isOpenHour(hour: Date, now: Date): boolean {
  return now.getTime() + insertMsMax < hour.getTime() + hourMs + sealAfterMs;
}

/** All hours before this instant may be sealed. */
export function sealableUntil(now: Date): Date {
  return hourOf(new Date(now.getTime() - sealAfterMs));
}

/** The total of an hour that may be believed. */
export function standingTotal({ pending, total }: UsageHour): PartialTotal | null {
  return pending.length === 0 ? total : null;
}
