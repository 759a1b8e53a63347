import type { Aggregation } from '../meter/aggregation';

/** Usage of one meter by one customer. */
export interface Series {
  readonly customerId: string;
  readonly meterId: string;
}

/** A series and how its events are counted. */
export interface MeasuredSeries extends Series {
  readonly aggregation: Aggregation;
  /** UNIQUE_COUNT only. */
  readonly uniqueProperty: string | null;
}

/** A series, with its environment. */
export interface OwnedSeries extends MeasuredSeries {
  readonly environmentId: string;
}

/** A span of time, [start, end). */
export interface Span {
  readonly start: Date;
  readonly end: Date;
}

export const hourMs = 3_600_000;
