import { mergedRuns, type RunStore, type ValueStream } from '../distinct/merge';
import { type PartMinute, partOf, totalOfMinute } from '../flush/part';
import { type BareTotal, RunningBareTotal } from '../fold/bucket';
import { mergedMinutes, unitSpan } from '../fold/entries';
import { emptyHour, type HourBucket } from '../fold/hour-bucket';
import type { FlushedEvent, SeriesStorage } from '../fold/series-storage';
import { hourMs, type MeasuredSeries } from '../usage/hour';
import { countRaw, requireEvents } from './raw-count';

/** An hour as its raw events count. */
export interface CountedHour {
  readonly total: BareTotal;
  readonly minutes: readonly PartMinute[];
  readonly values: readonly ValueStream[];
}

// Events of a step are in memory.
const eventsMax = 5_000;

export interface RecountOptions {
  /** All events up to this epoch are counted, also if the bucket does not contain them. */
  readonly upTo?: number;
  /** True if no event of the hour was dropped. */
  readonly hasAllEvents?: () => Promise<boolean>;
}

/**
 * Counts an hour from raw events: those that its bucket contains, or, for an hour that is not
 * stored, those of earlier versions. Repeating it changes nothing. Returns the stored hour. Fails
 * if the bucket contains more events than are left, unless all are known to be there.
 */
export async function recountHour(
  storage: SeriesStorage,
  series: MeasuredSeries,
  hour: number,
  { upTo = 0, hasAllEvents = () => Promise.resolve(false) }: RecountOptions = {},
): Promise<HourBucket> {
  const { values: store } = storage;
  for (;;) {
    const [before = emptyHour(hour)] = await storage.hours(hour, hour + 1);
    const stored = { ...before, folded: Math.max(before.folded, upTo) };
    const counted = await store.withRuns({ hour }, async (runs) => {
      const { total, minutes, values } = await countHour(storage, series, { hour: stored, runs });
      // After the count: until then, events may be dropped.
      if (!(await hasAllEvents())) requireEvents(stored.total.events, total.events);
      const version = stored.version + 1;
      const written =
        values.length === 0
          ? null
          : await store.write({ hour }, version, await mergedRuns(values, runs));
      return { ...stored, version, minutes, cuts: [], total: { ...total, values: written } };
    });
    // Otherwise the values stay until the bucket is folded again: the store may still take effect.
    if (!(await storage.storeHour(counted))) continue;
    if (counted.total.values !== null) await store.deleteOthers({ hour }, counted.total.values);
    return counted;
  }
}

/** Counts the raw events that the bucket of an hour contains. */
export async function countHour(
  storage: SeriesStorage,
  series: MeasuredSeries,
  { hour: { hour, folded }, runs }: { readonly hour: HourBucket; readonly runs: RunStore },
): Promise<CountedHour> {
  const span = unitSpan(hour, hourMs);
  const isCounted = ({ epoch }: FlushedEvent) => epoch <= folded;
  const { meterId, aggregation } = series;
  if (aggregation === 'UNIQUE_COUNT') {
    return { ...(await countRaw(storage, series, { span, isCounted, runs })), minutes: [] };
  }
  let minutes: PartMinute[] = [];
  let waiting: FlushedEvent[] = [];
  const countWaiting = () => {
    const part = partOf({ epoch: folded, flush: '' }, { k: '', meterId, aggregation }, waiting);
    minutes = mergedMinutes(aggregation, [minutes, part.minutes]);
    waiting = [];
  };
  for await (const event of storage.events(span)) {
    if (!isCounted(event)) continue;
    waiting.push(event);
    if (waiting.length === eventsMax) countWaiting();
  }
  countWaiting();
  const running = new RunningBareTotal(aggregation);
  for (const minute of minutes) running.merge(totalOfMinute(minute));
  return { total: running.total(), minutes, values: [] };
}
