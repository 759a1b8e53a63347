import type { Aggregation, MeasuredEvent, PartialTotal } from '../meter/aggregation';

/** Usage of one meter by one customer. */
export interface Series {
  readonly customerId: string;
  readonly meterId: string;
}

/** One hour of a series, identified by its start. */
export interface SeriesHour extends Series {
  readonly hour: Date;
}

/** A series and how its events are counted. */
export interface MeasuredSeries extends Series {
  readonly aggregation: Aggregation;
  /** UNIQUE_COUNT only. */
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
  /** Real time of the announcement. */
  readonly at: Date;
}

/** Stored state of one hour of a series, apart from its events. */
export interface UsageHour {
  readonly hour: Date;
  /** Change counter. */
  readonly version: number;
  readonly pending: readonly PendingBatch[];
  /** Total of all events of the hour; null: count the events. */
  readonly total: PartialTotal | null;
}

/** Version of one hour of a series. */
export interface HourVersion extends Pick<UsageHour, 'hour' | 'version'> {
  readonly isPending: boolean;
  /** Events in its total; 0 without a total. */
  readonly events: number;
}

/**
 * Storage of usage. Each call is one step: a crash may come after it, and it may take effect even
 * if its reply is lost.
 */
export interface UsageStorage {
  /** Announces a batch in hours, creating missing ones, and removes their totals. */
  beginLate(hours: readonly SeriesHour[], batch: PendingBatch): Promise<void>;
  /** Removes a batch from hours, and their totals with it. */
  finishLate(hours: readonly SeriesHour[], batchId: string): Promise<void>;
  /** Stored hours in a span. */
  hoursIn(series: Series, span: Span): Promise<readonly UsageHour[]>;
  /** Hours before an instant without a total. */
  hoursWithoutTotal(series: Series, before: Date): Promise<readonly UsageHour[]>;
  /**
   * Stores a total if the hour still has the version that was read; `undefined` stands for a
   * missing hour.
   */
  seal(
    series: Series,
    hour: Pick<UsageHour, 'hour'> & { readonly version: number | undefined },
    total: PartialTotal,
  ): Promise<boolean>;
  /**
   * Removes batches announced before an instant, and the total; no effect if the version has
   * changed.
   */
  dropPending(series: Series, hour: UsageHour, before: Date): Promise<boolean>;
  /** Before this instant, hours that are not stored have no events; null: unknown. */
  sealedUntil(series: Series): Promise<Date | null>;
  /** Moves that instant forward, never back. */
  moveSealedUntil(series: Series, until: Date): Promise<void>;
  /** Events of a span, in any order. */
  eventsIn(series: MeasuredSeries, span: Span): AsyncIterable<MeasuredEvent>;
  /** Timestamp of the first or last event. */
  edgeOf(series: Series, edge: 'first' | 'last'): Promise<Date | null>;
}

export const hourMs = 3_600_000;
/** Delay after the end of an hour before it may be sealed. */
export const sealAfterMs = 10 * 60_000;
/** Age at which an announced batch has ended, successfully or not. */
export const pendingMsMax = 10 * 60_000;
/**
 * Longest time from admitting an insert to its effect: the ingest deadline, the wait for a slot,
 * the minute after which a writer abandons itself, a connection that hangs until its socket times
 * out, and the clock difference of two machines.
 */
const insertMsMax = 5 * 60_000;

/** Start of the hour that contains an instant. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

export function endOfHour(hour: Date): Date {
  return new Date(hour.getTime() + hourMs);
}

/**
 * True if an event may be inserted without an announcement: its hour cannot be sealed before the
 * insert takes effect.
 */
export function isOpenHour(hour: Date, now: Date): boolean {
  return now.getTime() + insertMsMax < hour.getTime() + hourMs + sealAfterMs;
}

/** All hours before this instant may be sealed. */
export function sealableUntil(now: Date): Date {
  return hourOf(new Date(now.getTime() - sealAfterMs));
}

/** The total of an hour if it is valid: no batch is announced. */
export function validTotal({ pending, total }: UsageHour): PartialTotal | null {
  return pending.length === 0 ? total : null;
}

/**
 * Hours of series that contain the events, once each. Uses nested maps over existing values:
 * building a text key per event would dominate the cost.
 */
export function seriesHours(
  events: Iterable<{
    readonly customerId: string;
    readonly meterId: string;
    readonly timestamp: Date;
  }>,
): SeriesHour[] {
  const hours: SeriesHour[] = [];
  const customers = new Map<string, Map<string, Set<number>>>();
  for (const { customerId, meterId, timestamp } of events) {
    const meters = customers.get(customerId) ?? new Map<string, Set<number>>();
    customers.set(customerId, meters);
    const known = meters.get(meterId) ?? new Set<number>();
    meters.set(meterId, known);
    const number = Math.floor(timestamp.getTime() / hourMs);
    if (known.has(number)) continue;
    known.add(number);
    hours.push({ customerId, meterId, hour: new Date(number * hourMs) });
  }
  return hours;
}
