import { DomainError } from '@billing/kernel/domain-error';
import { mergedValues, type RunStore, streamOf, type ValueStream } from '../distinct/merge';
import { hashedValue, packValues } from '../distinct/packed-values';
import { type BareTotal, RunningBareTotal } from '../fold/bucket';
import type { FlushedEvent, SeriesStorage } from '../fold/series-storage';
import type { MeasuredSeries, Span } from '../usage/hour';

/** Raw events of a series that are counted. */
export interface RawSelection {
  readonly span: Span;
  readonly isCounted: (event: FlushedEvent) => boolean;
}

export interface RawCount {
  readonly total: BareTotal;
  /** UNIQUE_COUNT only. */
  readonly values: readonly ValueStream[];
}

// 65,536 values take a few MB until they are packed.
const hashesMax = 65_536;

/** Counts raw events. Distinct values beyond the first ones are stored as runs. */
export async function countRaw(
  storage: SeriesStorage,
  { meterId, aggregation }: Pick<MeasuredSeries, 'meterId' | 'aggregation'>,
  { span, isCounted, runs }: RawSelection & { readonly runs: RunStore },
): Promise<RawCount> {
  const running = new RunningBareTotal(aggregation);
  const values: ValueStream[] = [];
  let hashes: Buffer[] = [];
  for await (const event of storage.events(span)) {
    if (!isCounted(event)) continue;
    running.add(event);
    if (aggregation !== 'UNIQUE_COUNT' || event.uniqueValue === null) continue;
    hashes.push(hashedValue(meterId, event.uniqueValue));
    if (hashes.length < hashesMax) continue;
    values.push(await runs.store(mergedValues([streamOf(packValues(hashes))])));
    hashes = [];
  }
  if (hashes.length > 0) values.push(streamOf(packValues(hashes)));
  return { total: running.total(), values };
}

/**
 * Fails if a bucket contains more events than are left of them: some were dropped, and a count of
 * the others would be too low.
 */
export function requireEvents(stored: number, left: number): void {
  if (left >= stored) return;
  throw new DomainError('unavailable', 'USAGE_EVENTS_DROPPED', 'Service unavailable');
}

/** True for the failure of a read that needs events that were dropped. */
export function isEventsDropped(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'USAGE_EVENTS_DROPPED';
}
