import { type PartialTotal, RunningTotal } from '../meter/aggregation';
import {
  endOfHour,
  hourOf,
  type MeasuredSeries,
  pendingMsMax,
  type Span,
  type UsageHour,
  type UsageStorage,
} from './hour';

// Maximum read of one step, for a series that was idle for long.
const hoursMax = 24 * 40;

/**
 * Counts the hours of a series before `until` and stores their totals. After a crash some totals
 * are stored, and the rest is read event by event until the next run. `now` is real time. Returns
 * true once everything before `until` is done.
 */
export async function sealSeries(
  storage: UsageStorage,
  series: MeasuredSeries,
  { until, now }: { readonly until: Date; readonly now: Date },
): Promise<boolean> {
  const start = (await storage.sealedUntil(series)) ?? (await firstHour(storage, series));
  if (start === null) return true;
  const isFresh = start < until;
  const end = new Date(Math.min(until.getTime(), start.getTime() + hoursMax * 3_600_000));
  if (isFresh) {
    await sealSpan(storage, series, { start, end });
    await storage.moveSealedUntil(series, end);
  }
  const isRepaired = await repair(storage, series, { before: isFresh ? end : start, now });
  return isRepaired && (!isFresh || end.getTime() === until.getTime());
}

async function firstHour(storage: UsageStorage, series: MeasuredSeries): Promise<Date | null> {
  const first = await storage.edgeOf(series, 'first');
  return first === null ? null : hourOf(first);
}

async function sealSpan(storage: UsageStorage, series: MeasuredSeries, span: Span): Promise<void> {
  // Read before the events: a concurrent insert changes the version.
  const kept = await storage.hoursIn(series, span);
  const known = new Map(kept.map((one) => [one.hour.getTime(), one]));
  const totals = await hourTotals(storage, series, span);
  for (const [time, total] of totals) {
    const present = known.get(time);
    if (present !== undefined && present.pending.length > 0) continue;
    await storage.seal(series, { hour: new Date(time), version: present?.version }, total);
  }
}

async function hourTotals(
  storage: UsageStorage,
  series: MeasuredSeries,
  span: Span,
): Promise<Map<number, PartialTotal>> {
  const running = new Map<number, RunningTotal>();
  for await (const event of storage.eventsIn(series, span)) {
    const time = hourOf(event.at).getTime();
    let total = running.get(time);
    if (total === undefined) {
      total = new RunningTotal(series.aggregation);
      running.set(time, total);
    }
    total.add(event);
  }
  return new Map([...running].map(([time, total]) => [time, total.total()]));
}

/**
 * Counts hours again whose total was removed. Hours with an announced batch wait until it has
 * ended.
 */
async function repair(
  storage: UsageStorage,
  series: MeasuredSeries,
  { before, now }: { before: Date; now: Date },
): Promise<boolean> {
  const old = new Date(now.getTime() - pendingMsMax);
  const open = await storage.hoursWithoutTotal(series, before);
  let isDone = true;
  for (const hour of open) {
    if (hour.pending.length > 0) {
      isDone = false;
      if (hour.pending.some(({ at }) => at < old)) await storage.dropPending(series, hour, old);
    } else if (!(await recount(storage, series, hour))) isDone = false;
  }
  if (!isDone || open.length === 0) return isDone;
  // The page was full; the rest is left for the next run.
  return (await storage.hoursWithoutTotal(series, before)).length === 0;
}

async function recount(
  storage: UsageStorage,
  series: MeasuredSeries,
  hour: UsageHour,
): Promise<boolean> {
  const running = new RunningTotal(series.aggregation);
  const span = { start: hour.hour, end: endOfHour(hour.hour) };
  for await (const event of storage.eventsIn(series, span)) running.add(event);
  return storage.seal(series, hour, running.total());
}
