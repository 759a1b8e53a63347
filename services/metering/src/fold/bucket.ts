import { DomainError } from '@billing/kernel/domain-error';
import type { StoredValues } from '../distinct/value-store';
import type { PartMinute, PartValues } from '../flush/part';
import { type Aggregation, type PartialTotal, RunningTotal } from '../meter/aggregation';

/** Total without distinct values, which are stored apart. */
export type BareTotal = Omit<PartialTotal, 'distinct'>;

/** Total of a bucket. */
export interface BucketTotal extends BareTotal {
  /** UNIQUE_COUNT only. */
  readonly values: StoredValues | null;
}

/** Total of a series for a span of event time. */
export interface Bucket {
  /** Change counter; 0: not stored. */
  readonly version: number;
  /** The total contains all parts up to this epoch, and no other. */
  readonly folded: number;
  readonly total: BucketTotal;
}

/** A part and the place of its flush among all. */
export interface NumberedPart {
  readonly epoch: number;
  readonly flush: string;
  readonly minutes: readonly PartMinute[];
  readonly values: readonly PartValues[];
  /** Lowest epoch of merged parts; `epoch` is the highest. Absent: it is one part. */
  readonly from?: number;
  /** Flushes of merged parts. */
  readonly flushes?: readonly string[];
}

/** Merged parts are on both sides of an epoch that tells which of them a bucket contains. */
export class PartsMergedError extends DomainError {
  constructor(readonly epoch: number) {
    super('unavailable', 'USAGE_PARTS_TOO_LARGE', 'Service unavailable');
  }
}

/** Flushes of a part, or of those that were merged. */
export function flushesOf({ flush, flushes = [flush] }: NumberedPart): readonly string[] {
  return flushes;
}

// About what the runtime needs for the entry of a minute.
const minuteBytes = 200;

/** Size of a part in memory, roughly. */
export function bytesOf({ minutes, values }: NumberedPart): number {
  return values.reduce((sum, [, packed]) => sum + packed.length, minutes.length * minuteBytes);
}

/** Parts of a range of epochs: above `above`, up to `upTo`. */
export interface EpochRange {
  readonly above: number;
  readonly upTo: number;
}

const emptyTotal: BareTotal = { events: 0, quantity: null, latest: null };
export const emptyBucket: Bucket = {
  version: 0,
  folded: 0,
  total: { ...emptyTotal, values: null },
};

/** Parts of some epochs. Fails with PartsMergedError if merged parts are not only of these. */
export function partsIn(
  parts: readonly NumberedPart[],
  { above, upTo }: EpochRange,
): readonly NumberedPart[] {
  return parts.filter(({ epoch, from = epoch }) => {
    for (const edge of [above, upTo])
      if (from <= edge && edge < epoch) throw new PartsMergedError(edge);
    return epoch > above && epoch <= upTo;
  });
}

/** Adds up totals. Distinct values are merged as streams, so that only their events count here. */
export class RunningBareTotal {
  private readonly running: RunningTotal;

  constructor(aggregation: Aggregation) {
    this.running = new RunningTotal(aggregation === 'UNIQUE_COUNT' ? 'COUNT' : aggregation);
  }

  add(...event: Parameters<RunningTotal['add']>): void {
    this.running.add(...event);
  }

  merge(total: BareTotal): void {
    this.running.merge({ ...total, distinct: [] });
  }

  total(): BareTotal {
    const { events, quantity, latest } = this.running.total();
    return { events, quantity, latest };
  }
}

/** Adds a total to that of a bucket. */
export function addedTo(
  aggregation: Aggregation,
  bucket: Bucket,
  { total, folded }: { readonly total: BareTotal; readonly folded: number },
): Bucket {
  const running = new RunningBareTotal(aggregation);
  running.merge(bucket.total);
  running.merge(total);
  const { values } = bucket.total;
  return {
    version: bucket.version + 1,
    folded: Math.max(bucket.folded, folded),
    total: { ...running.total(), values },
  };
}
