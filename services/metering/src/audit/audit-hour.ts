import { createHash } from 'node:crypto';
import { isSameData } from '@billing/kernel/equality';
import { mergedRuns, type ValueStream } from '../distinct/merge';
import { countedValues } from '../distinct/packed-values';
import type { BareTotal } from '../fold/bucket';
import { unitSpan } from '../fold/entries';
import type { HourBucket } from '../fold/hour-bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { type SpanBucket, stubOf } from '../fold/span-bucket';
import { storedSpan } from '../fold/stored-span';
import type { Aggregation } from '../meter/aggregation';
import {
  type CountedHour,
  countHour,
  type RecountOptions,
  recountHour,
} from '../span/recount-hour';
import { hourMs, type MeasuredSeries } from '../usage/hour';

/** A total, for people. */
export interface ShownTotal {
  readonly events: number;
  readonly quantity: string;
}

/** Result of counting an hour again. */
export interface HourAudit {
  readonly isEqual: boolean;
  readonly stored: ShownTotal;
  readonly counted: ShownTotal;
}

/** Distinct values that were read. */
interface ReadValues {
  readonly digest: string;
  readonly counted: number;
}

/**
 * Counts a stored hour again from the raw events that it should contain, and compares. A fold at
 * the same time changes nothing: the events up to an epoch that was folded are final. Undefined if
 * the hour is not stored.
 */
export async function auditHour(
  storage: SeriesStorage,
  series: MeasuredSeries,
  hour: number,
): Promise<HourAudit | undefined> {
  const [stored] = await storage.hours(hour, hour + 1);
  if (stored === undefined) return undefined;
  return storage.values.withRuns({ hour }, async (runs) => {
    const counted = await countHour(storage, series, { hour: stored, runs });
    const countedAs = await valuesIn(await mergedRuns(counted.values, runs));
    const kept = stored.total.values;
    const storedAs = await valuesIn(kept === null ? [] : storage.values.read({ hour }, kept));
    const number = kept?.counted ?? 0;
    const { aggregation } = series;
    return {
      isEqual:
        isSameTotal(stored, counted) &&
        storedAs.digest === countedAs.digest &&
        number === countedAs.counted,
      stored: shown(aggregation, stored.total, number),
      counted: shown(aggregation, counted.total, countedAs.counted),
    };
  });
}

/**
 * Sets an hour to what its raw events come to. Spans that contain it are built again by their next
 * read, and the next settlement bills the difference. Fails if events of the hour were dropped.
 */
export async function repairHour(
  storage: SeriesStorage,
  series: MeasuredSeries,
  hour: number,
  options: RecountOptions,
): Promise<void> {
  await recountHour(storage, series, hour, options);
  const { start, end } = unitSpan(hour, hourMs);
  // After the hour: a span that is announced later is built from it.
  for (const span of await storage.spans()) {
    if (span.end > start && span.start < end) await withdrawSpan(storage, span);
  }
}

/** Makes a span a stub, which its next read builds. */
export async function withdrawSpan(storage: SeriesStorage, span: SpanBucket): Promise<void> {
  let current = span;
  while (!(await storage.storeSpan(stubOf(current)))) {
    const next = await storedSpan(storage, span);
    if (next === undefined) return;
    current = next;
  }
}

function isSameTotal({ total, minutes }: HourBucket, counted: CountedHour): boolean {
  const { events, quantity, latest } = total;
  if (!isSameData({ events, quantity, latest }, counted.total)) return false;
  // Hours that an earlier version has counted have no minutes.
  return minutes.length === 0 || isSameData(minutes, counted.minutes);
}

export function shown(
  aggregation: Aggregation,
  { events, quantity }: BareTotal,
  distinct: number,
): ShownTotal {
  if (aggregation === 'UNIQUE_COUNT') return { events, quantity: String(distinct) };
  return { events, quantity: aggregation === 'COUNT' ? String(events) : (quantity ?? '0') };
}

export async function valuesIn(stream: ValueStream | readonly Buffer[]): Promise<ReadValues> {
  const digest = createHash('sha256');
  let counted = 0;
  for await (const block of stream) {
    digest.update(block);
    counted += countedValues(block);
  }
  return { digest: digest.digest('hex'), counted };
}
