/** Events that arrived in one calendar month of real time, in a collection of their own. */
export interface Generation {
  /** Name of the collection. */
  readonly name: string;
  /** First epoch whose flushes store events in it. */
  readonly from: number;
  /** Real time of the change to it; events that arrived earlier are in older generations. */
  readonly since: Date;
}

/** Collection of the first generation, which also has the events of earlier versions. */
export const firstName = 'usageEvents';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A change to a generation, as two processes see it: flushes in progress, and their clocks. */
const changeMsMax = 15 * minuteMs;
/** A timestamp may be this far ahead of its arrival. */
const aheadMsMax = 5 * minuteMs;
/** A timestamp may be this far before its arrival. */
const backMsMax = 35 * dayMs;
/** An id is recognized for this long after its event, also with another timestamp. */
const rememberedMs = 7 * dayMs;
const namedMonthDigits = 2;

/** Name of the generation of a month. */
export function nameOfMonth(at: Date): string {
  const month = String(at.getUTCMonth() + 1).padStart(namedMonthDigits, '0');
  return `${firstName}_${String(at.getUTCFullYear())}${month}`;
}

/** Start of a month, counted from the month that contains an instant. */
export function startOfMonth(at: Date, months = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
}

/** True if events arrive in a later month than that of the newest generation. */
export function isOver({ since }: Pick<Generation, 'since'>, now: Date): boolean {
  return startOfMonth(now) > since;
}

/** True if all events before a generation are older than a number of months. */
export function isPastRetention(
  { since }: Pick<Generation, 'since'>,
  { months, now }: { readonly months: number; readonly now: Date },
): boolean {
  const end = new Date(since);
  end.setUTCMonth(end.getUTCMonth() + months);
  return end <= now;
}

/** The newest generation. */
export function newestOf(generations: readonly Generation[]): Generation {
  const newest = generations.at(-1);
  if (newest === undefined) throw new Error('There is no generation of events');
  return newest;
}

/** The generation in which flushes of an epoch store events. */
export function generationOf(generations: readonly Generation[], epoch: number): Generation {
  return newestOf(generations.filter(({ from }) => from <= epoch));
}

/** A generation in which no event arrives any more. */
export interface PastGeneration extends Pick<Generation, 'name'> {
  /** Real time before which all its events arrived. */
  readonly arrivedBeforeMs: number;
}

/** The generations before a generation, newest first. */
export function generationsBefore(
  generations: readonly Generation[],
  { from }: Pick<Generation, 'from'>,
): PastGeneration[] {
  const past = generations.flatMap((generation, index): PastGeneration[] => {
    const next = generations[index + 1];
    if (next === undefined || next.from > from) return [];
    return [{ name: generation.name, arrivedBeforeMs: next.since.getTime() + changeMsMax }];
  });
  return past.toReversed();
}

/** Generations that may have events of a span of time, unless their clock is manual. */
export function generationsHolding(
  generations: readonly Generation[],
  { start, end }: { readonly start?: Date | undefined; readonly end?: Date | undefined },
): Generation[] {
  return generations.filter(({ since }, index) => {
    const next = generations[index + 1];
    const isBefore =
      next !== undefined &&
      start !== undefined &&
      next.since.getTime() + changeMsMax + aheadMsMax <= start.getTime();
    // The first one has events of any age.
    const isAfter =
      index > 0 && end !== undefined && since.getTime() - changeMsMax - backMsMax >= end.getTime();
    return !isBefore && !isAfter;
  });
}

/** True if no event from an instant on was in a generation that has been dropped. */
export function isComplete(
  generations: readonly Generation[],
  { from, hasManualClock }: { readonly from: Date; readonly hasManualClock: boolean },
): boolean {
  const [oldest] = generations;
  if (oldest === undefined) return false;
  if (oldest.from === 0) return true;
  // A timestamp of a manual clock tells nothing about its arrival.
  return !hasManualClock && oldest.since.getTime() + changeMsMax + aheadMsMax <= from.getTime();
}

/** An event as its caller sent it. */
export interface SentEvent {
  readonly timestamp: Date;
  /** True if an earlier request may have sent the event under the same id. */
  readonly isRepeatable: boolean;
  readonly hasManualClock: boolean;
}

/**
 * Earliest real time, in milliseconds, at which an earlier request may have stored the event. A
 * timestamp of a manual clock says nothing about it.
 */
export function firstArrivalOf(
  { timestamp, isRepeatable, hasManualClock }: SentEvent,
  now: Date,
): number {
  if (hasManualClock) return 0;
  const byTimestamp = timestamp.getTime() - aheadMsMax;
  return isRepeatable ? Math.min(byTimestamp, now.getTime() - rememberedMs) : byTimestamp;
}
