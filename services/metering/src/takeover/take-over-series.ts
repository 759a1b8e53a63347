import { Semaphore } from '@billing/chassis/semaphore';
import { streamOf } from '../distinct/merge';
import { hashedValue, packValues } from '../distinct/packed-values';
import { partsByHour } from '../fold/entries';
import { emptyHour, type HourBucket } from '../fold/hour-bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { refuseIfSlow } from '../span/read-spans';
import { recountHour } from '../span/recount-hour';
import { hourMs, type MeasuredSeries } from '../usage/hour';
import type { EarlierHour, EarlierSeries, EarlierUsageStore } from './earlier-usage-store';

interface Takeover {
  readonly store: EarlierUsageStore;
  readonly storage: SeriesStorage;
  readonly series: MeasuredSeries;
  /** Ends the work; the next takeover of the series continues it. */
  readonly signal: AbortSignal;
  /** Real time. */
  readonly now: Date;
}

const hoursMax = 200;
// Hours that are stored or counted at the same time.
const concurrentHours = 8;

/**
 * Turns the hours of a series that earlier versions counted into buckets of epoch 0: all events
 * without a flush. A valid total is taken as it is, without its minutes, unless events of flushes
 * may be in it. All other hours are counted from raw events. Repeating it changes nothing, and two
 * takeovers at the same time give the same buckets, because an hour that exists is counted again.
 */
export async function takeOverSeries(earlier: EarlierSeries, takeover: Takeover): Promise<void> {
  const { store, now } = takeover;
  await takeOverHours(earlier, takeover);
  await takeOverRest(earlier, takeover);
  await store.finish(earlier, now);
}

async function takeOverHours(earlier: EarlierSeries, takeover: Takeover): Promise<void> {
  const { store, storage } = takeover;
  // Read before the hours: what is folded later is in a bucket by then.
  const flushed = new Set(partsByHour(await storage.parts({ cuts: [] })).keys());
  for (;;) {
    const hours = await store.findHours(earlier, hoursMax);
    if (hours.length === 0) return;
    const numbers = hours.map(numberOf);
    const buckets = await storage.hourTotals(Math.min(...numbers), Math.max(...numbers) + 1);
    const touched = new Set([...flushed, ...buckets.map(({ hour }) => hour)]);
    const counting = new Semaphore(concurrentHours);
    const takeOver = (one: EarlierHour) =>
      counting.run(() => {
        refuseIfSlow(takeover.signal);
        return takeOverHour(one, { ...takeover, isTouched: touched.has(numberOf(one)) });
      });
    await Promise.all(hours.map(takeOver));
    await store.deleteHours(earlier, hours);
  }
}

async function takeOverHour(
  earlier: EarlierHour,
  { storage, series, isTouched }: Takeover & { readonly isTouched: boolean },
): Promise<void> {
  const bucket = isTouched ? undefined : await bucketOf(earlier, { storage, series });
  if (bucket !== undefined && (await storage.storeHour(bucket))) return;
  await recountHour(storage, series, numberOf(earlier));
}

/** The bucket of an hour with a valid total; undefined: its events must be counted. */
async function bucketOf(
  earlier: EarlierHour,
  { storage, series }: Pick<Takeover, 'storage' | 'series'>,
): Promise<HourBucket | undefined> {
  const { pending, total } = earlier;
  if (pending.length > 0 || total === null) return undefined;
  const hour = numberOf(earlier);
  const { quantity, distinct, latest } = total;
  const events = Number(total.events);
  const bare = {
    events,
    quantity,
    latest: latest === null ? null : { ...latest, arrival: Number(latest.arrival) },
  };
  const empty = { ...emptyHour(hour), version: 1 };
  if (series.aggregation !== 'UNIQUE_COUNT') return { ...empty, total: { ...bare, values: null } };
  // Buckets count the events of each value, and earlier totals do not.
  if (distinct.length !== events) return undefined;
  const packed = packValues(distinct.map((value) => hashedValue(series.meterId, value)));
  const values = await storage.values.write({ hour }, 1, streamOf(packed));
  return { ...empty, total: { ...bare, values } };
}

/** Counts the hours that earlier versions have not counted yet. */
async function takeOverRest(
  earlier: EarlierSeries,
  { store, storage, series, signal }: Takeover,
): Promise<void> {
  let from = earlier.sealedUntil;
  for (;;) {
    const first = await store.firstEventFrom(earlier, from);
    if (first === undefined) return;
    refuseIfSlow(signal);
    const hour = Math.floor(first.getTime() / hourMs);
    await recountHour(storage, series, hour);
    from = new Date((hour + 1) * hourMs);
    await store.moveSealedUntil(earlier, from);
  }
}

function numberOf({ hour }: EarlierHour): number {
  return hour.getTime() / hourMs;
}
